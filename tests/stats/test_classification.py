"""Figures of agreement, against laws and other implementations (scipy, scikit-learn)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from staytrue.stats.classification import (
    accuracy,
    average_precision,
    best_threshold,
    class_figures,
    confusion,
    macro_f1,
    roc_auc,
)
from staytrue.stats.ranks import ranks

SCORED = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=30).filter(
    lambda rows: len({label for _, label in rows}) == 2
)


def arrays(rows: list[tuple[int, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([s / 6 for s, _ in rows]), np.array([label for _, label in rows])


@given(SCORED)
def test_roc_auc_is_the_mann_whitney_statistic(rows: list[tuple[int, bool]]) -> None:
    scores, positive = arrays(rows)
    u = stats.mannwhitneyu(scores[positive], scores[~positive]).statistic
    assert roc_auc(scores, positive) == pytest.approx(u / positive.sum() / (~positive).sum())


@given(SCORED)
def test_areas_are_those_of_scikit_learn(rows: list[tuple[int, bool]]) -> None:
    from sklearn.metrics import average_precision_score, roc_auc_score

    scores, positive = arrays(rows)
    assert roc_auc(scores, positive) == pytest.approx(roc_auc_score(positive, scores))
    theirs = average_precision_score(positive, scores)
    assert average_precision(scores, positive) == pytest.approx(theirs)


def test_average_precision_needs_both_classes() -> None:
    assert average_precision(np.array([0.1, 0.9]), np.array([False, False])) is None


@given(SCORED)
def test_roc_auc_is_unchanged_by_a_monotone_map(rows: list[tuple[int, bool]]) -> None:
    scores, positive = arrays(rows)
    assert roc_auc(np.exp(3 * scores) - 7, positive) == roc_auc(scores, positive)


@given(SCORED)
def test_roc_auc_of_the_opposite_is_the_complement(rows: list[tuple[int, bool]]) -> None:
    scores, positive = arrays(rows)
    assert roc_auc(-scores, positive) == pytest.approx(1 - (roc_auc(scores, positive) or 0))


def test_roc_auc_needs_both_classes() -> None:
    assert roc_auc(np.array([0.1, 0.9]), np.array([True, True])) is None


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20))
def test_ranks_are_scipys(values: list[int]) -> None:
    assert ranks(np.array(values)) == pytest.approx(stats.rankdata(values))


@given(SCORED)
def test_no_threshold_is_better_than_the_best(rows: list[tuple[int, bool]]) -> None:
    scores, positive = arrays(rows)
    best = accuracy(scores, positive, best_threshold(scores, positive)) or 0
    others = [accuracy(scores, positive, t) or 0 for t in np.linspace(-0.1, 1.1, 49)]
    assert best >= max(others)


def test_a_score_of_one_half_counts_as_inconsistent() -> None:
    assert accuracy(np.array([0.5]), np.array([False])) == 1
    assert accuracy(np.array([0.5]), np.array([True])) == 0


def test_figures_of_a_class() -> None:
    figures = class_figures(np.array([1, 1, 0, 0], bool), np.array([1, 0, 1, 1], bool))
    assert (figures.precision, figures.recall, figures.f1) == (1 / 2, 1 / 3, 2 / 5)
    empty = class_figures(np.array([False]), np.array([False]))
    assert (empty.precision, empty.recall, empty.f1) == (None, None, None)


def test_macro_f1_counts_every_human_class_alike() -> None:
    assert macro_f1(["a", "a", "a", "b"], ["a", "a", "b", "c"]) == pytest.approx(0.8 / 3)


def test_confusion_counts_by_human_class() -> None:
    assert confusion(["a", "b", "a"], ["a", "a", "b"]) == {"a": {"a": 1, "b": 1}, "b": {"a": 1}}
