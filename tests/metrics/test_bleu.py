"""BLEU with the knowledge as reference."""

from __future__ import annotations

import pytest
import sacrebleu

from staytrue.core.records import Example
from staytrue.metrics.bleu import Bleu


def test_a_copy_scores_one_and_a_stranger_nothing() -> None:
    copy, other = Bleu().judge(
        [Example("1", "Coffee is a drink.", "coffee is a drink."), Example("2", "moon", "coffee")]
    )
    assert copy.score == pytest.approx(1)
    assert other.score == 0


def test_the_score_is_sacrebleus() -> None:
    response, knowledge = "coffee is a hot drink", "coffee is a brewed drink from beans"
    expected = sacrebleu.sentence_bleu(response, [knowledge], lowercase=True).score / 100
    assert Bleu().judge([Example("1", response, knowledge)])[0].score == pytest.approx(expected)


def test_it_abstains_on_empty_text() -> None:
    verdicts = Bleu().judge([Example("1", " ", "k"), Example("2", "r", "")])
    assert [v.reason for v in verdicts] == ["The response is empty.", "The knowledge is empty."]
