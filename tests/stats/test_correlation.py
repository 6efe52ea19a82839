"""Correlations, against another implementation (scipy)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from staytrue.stats.correlation import mean_squared_error, pearson, spearman

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
