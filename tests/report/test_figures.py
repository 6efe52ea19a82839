"""The numbers behind the report."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.report import figures
from staytrue.report.run_view import MetricView

scores = st.lists(st.floats(0, 1), min_size=1, max_size=60)


def labelled(values: list[float], truth: list[bool]) -> figures.Labelled:
    groups = [str(n) for n in range(len(values))]
    return figures.Labelled(np.array(values), np.array(truth), groups)


def metric(name: str, values: list[float | None], labels: list[str | None] = ()) -> MetricView:
    return MetricView(name, "", values, list(labels) or [None] * len(values))


@given(scores)
def test_every_score_falls_into_exactly_one_bin(values: list[float]) -> None:
    assert sum(figures.histogram(values)) == len(values)


def test_a_perfect_metric_has_a_square_roc_curve() -> None:
    curve = figures.roc("m", labelled([0.9, 0.8, 0.2, 0.1], [True, True, False, False]))
    assert curve is not None
    assert curve.area == 1.0
    assert (0.0, 1.0) in curve.points


def test_a_constant_metric_is_the_diagonal() -> None:
    curve = figures.roc("m", labelled([0.5] * 4, [True, False, True, False]))
    assert curve is not None
    assert curve.points == [(0.0, 0.0), (1.0, 1.0)]
    assert curve.area == 0.5


def test_one_answer_only_gives_no_curve() -> None:
    assert figures.roc("m", labelled([0.1, 0.9], [True, True])) is None
    assert figures.precision_recall("m", labelled([0.1, 0.9], [False, False]), of=True) is None


def test_precision_of_the_inconsistent_counts_low_scores() -> None:
    curve = figures.precision_recall("m", labelled([0.1, 0.2, 0.9], [False, True, True]), of=False)
    assert curve is not None
    assert curve.points[0] == (1.0, 1.0)


def test_accuracy_counts_a_half_as_inconsistent() -> None:
    assert labelled([0.5, 0.6], [False, True]).accuracy().value == 1.0


def test_the_grid_counts_what_both_scored() -> None:
    grid = figures.grid(metric("a", [0.0, 1.0, None]), metric("b", [0.0, 1.0, 0.5]))
    assert grid is not None
    assert grid.both == 2
    assert grid.counts[0][0] == grid.counts[-1][-1] == 1
    assert grid.spearman == pytest.approx(1.0)


def test_a_constant_metric_correlates_with_nothing() -> None:
    grid = figures.grid(metric("a", [0.5, 0.5]), metric("b", [0.1, 0.9]))
    assert grid is not None
    assert grid.spearman is None
