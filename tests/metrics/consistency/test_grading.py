"""From probabilities to verdicts: how much signs count."""

from __future__ import annotations

from staytrue.backends.cache import CachedBackend
from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.protocols import Claim, Entailment
from staytrue.core.records import Example
from staytrue.metrics.consistency.grading import Asked, ClaimWeights, Grader, weights_for
from staytrue.metrics.consistency.result import Signs
from staytrue.metrics.consistency.sources import Line

SMALL = EmbeddedBackend(size="small")


def test_small_models_are_believed_less_than_both_sizes_together() -> None:
    sure = Signs(entailed=3.0, contradicted=-3.0)
    assert 0 < weights_for(SMALL.models()).log_odds(sure) < ClaimWeights().log_odds(sure)


def test_small_models_are_known_behind_a_cache() -> None:
    small = weights_for(SMALL.models())
    assert weights_for(CachedBackend(SMALL).models()) == small != ClaimWeights()


def test_other_models_have_the_weights_of_both_sizes() -> None:
    assert weights_for({"infer": "both(staytrue-entailment@1,staytrue-large-entailment@2)"}) == (
        weights_for({})
    )


def test_what_speaks_against_a_claim_lowers_it() -> None:
    for weights in (weights_for(SMALL.models()), ClaimWeights()):
        assert weights.log_odds(Signs(1.0, 2.0)) < weights.log_odds(Signs(1.0, -2.0))
        assert weights.log_odds(Signs(-1.0, 0.0)) < weights.log_odds(Signs(1.0, 0.0))


def test_a_claim_that_holds_by_one_passage_is_rightly_cited_from_it() -> None:
    line = Line("knowledge", "Jackets can be returned.", 0, 24)
    claim = Claim("You can return a jacket.", 0, 24)
    asked = Asked(claim, claim.text, {"knowledge": (line,)}, cited=((0, (line,)),))
    example = Example("1", claim.text, line.text)
    for entailed in (0.3, 0.45, 0.5, 0.6):
        said = Entailment(entailed, 0.95 - entailed, 0.05)
        graded = Grader(dict.fromkeys(asked.pairs, said), ClaimWeights()).grade(asked, example)
        assert [one.supports for one in graded.citations] == [graded.holds]
