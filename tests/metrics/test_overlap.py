"""Token overlap with the knowledge."""

from __future__ import annotations

from staytrue.core.records import Example
from staytrue.metrics.overlap import Overlap


def test_stop_words_and_punctuation_do_not_count() -> None:
    (verdict,) = Overlap().judge([Example("1", "The coffee, it is a drink!", "coffee and tea")])
    assert verdict.score == 0.5
    assert verdict.evidence[0].details == {"shared": ["coffee"], "missing": ["drink"]}


def test_stop_words_can_be_kept() -> None:
    example = Example("1", "the tea", "the coffee")
    assert Overlap(stopwords="keep").judge([example])[0].score == 0.5
    assert Overlap().judge([example])[0].score == 0


def test_it_abstains_with_a_reason_when_there_is_nothing_to_compare() -> None:
    verdicts = Overlap().judge([Example("1", "", "k"), Example("2", "tea", "of the")])
    assert [v.score for v in verdicts] == [None, None]
    assert [v.reason for v in verdicts] == [
        "The response has no words to compare.",
        "The knowledge has no words to compare.",
    ]
