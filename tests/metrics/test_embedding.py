"""Embedding similarity is BERTScore's greedy matching on whatever encoder it is given."""

from __future__ import annotations

import numpy as np
import pytest

from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.records import Example
from staytrue.metrics.embedding import EmbeddingSimilarity, matched


def test_the_same_text_matches_fully() -> None:
    metric = EmbeddingSimilarity(ScriptedBackend())
    verdict = metric.judge([Example("1", "cats are small", "cats are small")])[0]
    assert verdict.score == pytest.approx(1.0)


def test_precision_looks_for_the_response_in_the_knowledge() -> None:
    response = np.array([[1.0, 0.0]])
    knowledge = np.array([[1.0, 0.0], [0.0, 1.0]])
    measures = matched(response, knowledge)
    assert measures["precision"] == pytest.approx(1.0)
    assert measures["recall"] == pytest.approx(0.5)
    assert measures["f1"] == pytest.approx(2 / 3)


def test_f1_is_the_same_from_both_sides() -> None:
    rng = np.random.default_rng(1)
    left, right = (rng.normal(size=(count, 8)) for count in (4, 7))
    left, right = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (left, right))
    assert matched(left, right)["f1"] == pytest.approx(matched(right, left)["f1"])


@pytest.mark.parametrize(("response", "knowledge"), [("", "known"), ("said", "")])
def test_nothing_to_compare_is_an_abstention(response: str, knowledge: str) -> None:
    metric = EmbeddingSimilarity(ScriptedBackend())
    verdict = metric.judge([Example("1", response, knowledge)])[0]
    assert verdict.score is None
    assert verdict.reason
