"""Bootstrap intervals and tests: seeded, honest about what cannot be computed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from staytrue.stats.bootstrap import chance, interval, paired
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
    estimate = interval(lambda i: float(values[i].mean()), 400)
    half = 1.96 * values.std(ddof=1) / 20
    assert estimate.low == pytest.approx(values.mean() - half, abs=0.02)
    assert estimate.high == pytest.approx(values.mean() + half, abs=0.02)


def test_the_interval_of_a_skewed_figure_is_scipys_bca() -> None:
    values = np.random.default_rng(5).lognormal(0, 0.5, 60)
    estimate = interval(lambda i: float(values[i].var()), 60, draws=10_000)
    theirs = stats.bootstrap((values,), np.var, method="BCa", n_resamples=10_000, rng=1)
    low, high = theirs.confidence_interval
    assert estimate.low == pytest.approx(low, rel=0.03)
    assert estimate.high == pytest.approx(high, rel=0.03)
    plain = stats.bootstrap((values,), np.var, method="percentile", n_resamples=10_000, rng=1)
    assert abs(plain.confidence_interval.high - high) > 0.1 * high  # the correction is at work


def test_a_figure_that_cannot_be_computed_is_none_with_a_reason() -> None:
    assert interval(lambda i: None, 5).value is None
    assert interval(lambda i: None, 5).method == "not defined on these rows"
    assert interval(lambda i: 1.0, 0).value is None


def test_a_figure_that_never_varies_has_no_interval_instead_of_a_certain_one() -> None:
    estimate = interval(lambda i: 1.0, 5)
    assert (estimate.value, estimate.low, estimate.high) == (1.0, None, None)
    assert estimate.method == "every resample is the same"


def test_rows_of_one_dialogue_are_drawn_together() -> None:
    values = np.repeat(np.random.default_rng(0).normal(size=30), 8)
    groups = list(np.repeat(range(30), 8))
    together = interval(lambda i: float(values[i].mean()), 240, groups=groups)
    alone = interval(lambda i: float(values[i].mean()), 240)
    assert together.clusters == 30
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_a_better_metric_is_found_better() -> None:
    test = paired(auc, GOOD, BAD, draws=500)
    assert test is not None
    assert test.a > test.b
    assert test.p_bootstrap < 0.05
    assert test.p_randomisation < 0.05


def test_a_p_value_is_never_zero() -> None:
    test = paired(auc, GOOD, -GOOD, draws=200)
    assert test is not None
    assert test.p_bootstrap == pytest.approx(2 / 201)
    assert test.p_randomisation == pytest.approx(1 / 201)
    assert chance(0, 999) == 0.001


def test_a_metric_is_not_better_than_itself() -> None:
    test = paired(auc, GOOD, GOOD, draws=200)
    assert test is not None
    assert test.difference.value == 0
    assert test.p_randomisation == 1
    assert test.p_bootstrap == 1


def test_figures_that_differ_by_rounding_alone_do_not_differ() -> None:
    scores = np.full(30, 0.1)

    def mean(values: np.ndarray, indexes: np.ndarray) -> float:
        return float(values[indexes].mean())

    test = paired(mean, scores, scores + 1e-16 * np.arange(30), draws=100)
    assert test is not None
    assert test.p_randomisation == 1
    assert test.p_bootstrap == 1


def test_rows_of_one_dialogue_change_sides_together() -> None:
    rng = np.random.default_rng(3)
    gaps = np.repeat(rng.normal(0.4, 1, 12), 20)
    groups = list(np.repeat(range(12), 20))

    def mean(values: np.ndarray, indexes: np.ndarray) -> float:
        return float(values[indexes].mean())

    alone = paired(mean, gaps, np.zeros(240), draws=300)
    together = paired(mean, gaps, np.zeros(240), groups=groups, draws=300)
    assert alone is not None
    assert together is not None
    assert alone.p_randomisation < 0.02 < together.p_randomisation
