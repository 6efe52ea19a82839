"""Intervals and tests: seeded, honest about what cannot be computed."""

from __future__ import annotations

import numpy as np
import pytest

from staytrue.stats.bootstrap import Interval, interval, paired
from staytrue.stats.classification import roc_auc

RNG = np.random.default_rng(1)
TRUTH = RNG.random(200) < 0.5
GOOD = TRUTH + RNG.normal(0, 0.7, 200)
BAD = TRUTH + RNG.normal(0, 3.0, 200)


def auc(scores: np.ndarray, indexes: np.ndarray) -> float | None:
    return roc_auc(scores[indexes], TRUTH[indexes])


def test_an_interval_holds_its_value_and_repeats_with_its_seed() -> None:
    one = interval(lambda i: auc(GOOD, i), 200, seed=3)
    assert one.low is not None
    assert one.high is not None
    assert one.value is not None
    assert one.low < one.value < one.high
    assert one == interval(lambda i: auc(GOOD, i), 200, seed=3)
    assert one != interval(lambda i: auc(GOOD, i), 200, seed=4)


def test_the_interval_of_a_mean_is_near_the_normal_one() -> None:
    values = np.random.default_rng(2).normal(0, 1, 400)
    found = interval(lambda i: float(values[i].mean()), 400)
    half = 1.96 * values.std(ddof=1) / 20
    assert found.low == pytest.approx(values.mean() - half, abs=0.02)
    assert found.high == pytest.approx(values.mean() + half, abs=0.02)


def test_a_figure_that_cannot_be_computed_is_none() -> None:
    assert interval(lambda i: None, 5) == Interval(None)
    assert interval(lambda i: 1.0, 0) == Interval(None)
    assert str(Interval(None)) == "–"


def test_a_better_metric_is_found_better() -> None:
    test = paired(auc, GOOD, BAD, draws=500)
    assert test is not None
    assert test.a > test.b
    assert test.p_bootstrap < 0.05
    assert test.p_randomisation < 0.05


def test_a_metric_is_not_better_than_itself() -> None:
    test = paired(auc, GOOD, GOOD, draws=200)
    assert test is not None
    assert test.difference.value == 0
    assert test.p_randomisation == 1
    assert test.p_bootstrap == 1
