"""From probabilities to verdicts: how much signs count."""

from __future__ import annotations

from dataclasses import dataclass

from staytrue.metrics.consistency.grading import Weights, weights_for
from staytrue.metrics.consistency.result import Signs


@dataclass
class Sized:
    size: str


def test_small_models_are_believed_less_than_both_sizes_together() -> None:
    sure = Signs(entailed=3.0, contradicted=-3.0)
    small, both = weights_for(Sized("small")), weights_for(Sized("both"))
    assert 0 < small.log_odds(sure) < both.log_odds(sure)


def test_a_backend_without_sizes_has_the_weights_of_both() -> None:
    assert weights_for(object()) == Weights()


def test_what_speaks_against_a_claim_lowers_it() -> None:
    for size in ("small", "both"):
        weights = weights_for(Sized(size))
        assert weights.log_odds(Signs(1.0, 2.0)) < weights.log_odds(Signs(1.0, -2.0))
        assert weights.log_odds(Signs(-1.0, 0.0)) < weights.log_odds(Signs(1.0, 0.0))
