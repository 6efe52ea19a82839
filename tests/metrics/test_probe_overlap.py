"""The word-overlap baselines of ConsisTest."""

from __future__ import annotations

from staytrue.core.records import Example, Probe
from staytrue.metrics.probe_overlap import ProbeOverlap

PROBE = Probe("how many dogs do you have?", "two | a pair", "i have two dogs .", "wh")


def test_recall_takes_the_best_alternative_and_reads_number_words() -> None:
    verdict = ProbeOverlap().judge([Example("1", "i have 2", probe=PROBE)])[0]
    assert verdict.score == 1.0


def test_f1_compares_with_the_fact() -> None:
    judge = ProbeOverlap("f1").judge
    assert judge([Example("1", "I have two dogs", probe=PROBE)])[0].score == 1.0
    assert judge([Example("1", "no", probe=PROBE)])[0].score == 0.0
    assert judge([Example("1", "", probe=PROBE)])[0].score == 0.0


def test_it_abstains_without_a_probe() -> None:
    verdict = ProbeOverlap().judge([Example("1", "yes")])[0]
    assert verdict.score is None
    assert "probe" in verdict.reason
