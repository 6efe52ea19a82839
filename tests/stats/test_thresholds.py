"""Limits are judged on rows that did not choose them."""

from __future__ import annotations

import numpy as np
import pytest

from staytrue.stats.classification import accuracy, best_threshold
from staytrue.stats.thresholds import cross_validated_accuracy, with_precision


def random_rows(n: int, seed: int, gap: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.5
    return np.clip(rng.normal(0.4 + gap * truth, 0.15), 0, 1), truth


def test_random_scores_have_no_accuracy_above_chance() -> None:
    fitted, honest = [], []
    for seed in range(60):
        scores, truth = random_rows(30, seed)
        fitted.append(accuracy(scores, truth, best_threshold(scores, truth)))
        honest.append(cross_validated_accuracy(scores, truth).value)
    assert np.mean(fitted) > 0.6
    assert np.mean(honest) == pytest.approx(0.5, abs=0.04)


def test_a_metric_that_separates_keeps_its_accuracy() -> None:
    scores, truth = random_rows(100, 1, gap=0.9)
    assert cross_validated_accuracy(scores, truth).value > 0.9


def test_dialogues_are_never_on_both_sides() -> None:
    # Each dialogue has a score of its own and one label: rows of the same dialogue give it away.
    scores = np.repeat(np.random.default_rng(0).permutation(40) / 40, 5)
    truth = np.repeat(np.random.default_rng(1).random(40) < 0.5, 5)
    groups = list(np.repeat(range(40), 5))
    assert cross_validated_accuracy(scores, truth, groups=groups).value < 0.65


def test_the_limit_reaches_the_precision_on_the_rows_that_chose_it() -> None:
    scores, truth = random_rows(400, 2, gap=0.3)
    chosen = with_precision(scores, truth, 0.9)
    assert chosen.threshold is not None
    assert truth[scores > chosen.threshold].mean() >= 0.9
    assert chosen.lowest <= chosen.threshold <= chosen.highest
    assert chosen.precision.low < 0.9 < chosen.precision.high
    assert 0.3 < chosen.recall.value < 1


def test_a_goal_that_no_limit_reaches_gives_none() -> None:
    scores, truth = np.linspace(0, 1, 20), np.zeros(20, dtype=bool)
    chosen = with_precision(scores, truth, 0.9)
    assert chosen.threshold is None
    assert chosen.precision.value is None
    assert chosen.without == chosen.folds == 10


def test_equal_scores_pass_together_or_not_at_all() -> None:
    chosen = with_precision(np.array([0.9, 0.5, 0.5, 0.1]), np.array([1, 1, 0, 0], bool), 0.9)
    assert 0.5 < chosen.threshold < 0.9
