"""Correlations, against another implementation (scipy)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from staytrue.stats.correlation import mean_squared_error, pearson, spearman, williams

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=30).filter(
    lambda rows: len({a for a, _ in rows}) > 1 and len({b for _, b in rows}) > 1
)


@given(PAIRS)
def test_correlations_are_scipys(rows: list[tuple[int, int]]) -> None:
    left, right = (np.array(column, float) for column in zip(*rows, strict=True))
    assert pearson(left, right) == pytest.approx(stats.pearsonr(left, right).statistic)
    assert spearman(left, right) == pytest.approx(stats.spearmanr(left, right).statistic)


def test_a_side_that_does_not_vary_has_no_correlation() -> None:
    assert pearson(np.array([1.0, 1.0]), np.array([1.0, 2.0])) is None
    assert spearman(np.array([1.0]), np.array([1.0])) is None


def test_mean_squared_error() -> None:
    assert mean_squared_error(np.array([0.0, 1.0]), np.array([0.5, 1.0])) == 0.125
    assert mean_squared_error(np.array([]), np.array([])) is None


def test_williams_test_is_the_published_one() -> None:
    # The example of `r.test` in the R package psych, Steiger's case A: t = -0.89, p = 0.37.
    result = williams(0.4, 0.5, 0.1, 103)
    assert result is not None
    assert result.t == pytest.approx(-0.89, abs=5e-3)
    assert result.p == pytest.approx(0.37, abs=5e-3)


def test_williams_test_finds_as_many_differences_as_there_are_by_chance() -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(400):
        people = rng.normal(size=60)
        a, b = (people + rng.normal(size=60) for _ in "ab")
        test = williams(*(pearson(x, y) for x, y in ((a, people), (b, people), (a, b))), 60)
        assert test is not None
        hits += test.p < 0.05
    assert 8 <= hits <= 34


def test_a_metric_correlates_no_differently_from_itself() -> None:
    result = williams(0.4, 0.4, 1.0, 50)
    assert result is not None
    assert result.p == 1
    assert williams(0.4, 0.5, 0.1, 3) is None
