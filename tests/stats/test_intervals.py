"""Intervals in closed form, against other implementations (statsmodels, scikit-learn) and laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.stats import intervals
from staytrue.stats.intervals import Interval

UNIT = st.lists(st.floats(0, 1), min_size=1, max_size=60)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_share_has_the_wilson_interval_of_statsmodels(counts: tuple[int, int]) -> None:
    from statsmodels.stats.proportion import proportion_confint

    successes, n = counts
    interval = intervals.proportion(successes, n)
    low, high = proportion_confint(successes, n, method="wilson")
    assert (interval.low, interval.high) == (pytest.approx(low), pytest.approx(high))


def test_nothing_of_twelve_is_not_certainly_nothing() -> None:
    interval = intervals.proportion(0, 12)
    assert (interval.value, interval.low) == (0.0, 0.0)
    assert interval.high == pytest.approx(0.2425, abs=1e-4)


def test_a_mean_of_zeros_and_ones_is_nearly_a_share() -> None:
    flags = [1.0] * 30 + [0.0] * 170
    as_mean, as_share = intervals.mean(flags), intervals.proportion(30, 200)
    assert as_mean.low == pytest.approx(as_share.low, abs=0.003)
    assert as_mean.high == pytest.approx(as_share.high, abs=0.003)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_equal_scores_at_an_end_of_the_scale_give_the_wilson_interval(value: float) -> None:
    mean, share = intervals.mean([value] * 12), intervals.proportion(int(value * 12), 12)
    assert (mean.low, mean.high) == (pytest.approx(share.low), pytest.approx(share.high))


@given(UNIT)
def test_the_interval_holds_the_mean_and_stays_in_the_unit_range(values: list[float]) -> None:
    interval = intervals.mean(values)
    assert interval.low is not None
    assert interval.high is not None
    assert interval.value is not None
    assert -1e-12 <= interval.low <= interval.value + 1e-9
    assert interval.value - 1e-9 <= interval.high <= 1 + 1e-12


@given(UNIT.filter(lambda values: len(values) > 1))
def test_moments_give_what_the_values_give(values: list[float]) -> None:
    moments = intervals.mean_from_moments(
        float(np.mean(values)), float(np.std(values, ddof=1)), len(values)
    )
    interval = intervals.mean(values)
    assert moments.low == pytest.approx(interval.low, abs=1e-6)
    assert moments.high == pytest.approx(interval.high, abs=1e-6)


def test_a_mean_of_many_values_has_students_interval() -> None:
    values = np.random.default_rng(2).beta(2, 2, 2000)
    half = 1.961 * values.std(ddof=1) / np.sqrt(2000)
    interval = intervals.mean(values)
    assert interval.low == pytest.approx(values.mean() - half, abs=1e-4)
    assert interval.high == pytest.approx(values.mean() + half, abs=1e-4)


def test_rows_that_repeat_their_dialogue_count_once() -> None:
    values = np.random.default_rng(0).beta(2, 2, 40)
    repeated = np.repeat(values, 10)
    alone, copied = intervals.mean(values), intervals.mean(repeated, list(np.repeat(range(40), 10)))
    assert copied.clusters == 40
    assert copied.low == pytest.approx(alone.low, abs=1e-9)
    assert copied.high == pytest.approx(alone.high, abs=1e-9)
    blind = intervals.mean(repeated)
    assert blind.high - blind.low < 0.4 * (copied.high - copied.low)


def test_a_share_of_rows_in_dialogues_is_wider_when_dialogues_agree() -> None:
    flags = np.repeat([True, False, True, True, False, True, False, True], 25)
    groups = list(np.repeat(range(8), 25))
    together, alone = intervals.share(flags, groups), intervals.share(flags)
    assert together.high - together.low > 2 * (alone.high - alone.low)


@pytest.mark.parametrize(("documents", "told"), [(1, True), (4, True), (5, False), (20, False)])
def test_rows_of_a_handful_of_documents_count_as_independent_and_say_so(
    documents: int, told: bool
) -> None:
    groups = [n % documents for n in range(20)]
    why = intervals.why_not_clustered(20, documents)
    assert (why is not None) is told
    clustered = intervals.clusters(groups) is not None
    assert clustered is (not told and documents < 20)


def test_rows_of_as_many_documents_are_independent_without_a_word() -> None:
    assert intervals.why_not_clustered(3, 3) is None


def test_a_handful_of_dialogues_cannot_tell_their_spread() -> None:
    groups = ["a"] * 10 + ["b"] * 10
    assert intervals.share([True] * 20, groups).clusters is None


def scored(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    truth[:2] = [True, False]
    return (truth + rng.normal(0, 1, n)).round(1), truth


@pytest.mark.parametrize("seed", range(5))
def test_the_area_is_that_of_scikit_learn_with_delongs_variance(seed: int) -> None:
    from sklearn.metrics import roc_auc_score
    from statsmodels.stats.proportion import proportion_confint

    scores, truth = scored(60, seed)
    interval = intervals.roc_auc(scores, truth)
    assert interval.value == pytest.approx(roc_auc_score(truth, scores))
    # DeLong et al. (1988), by the definition: every pair of a positive and a negative.
    above = scores[truth][:, None] - scores[~truth][None, :]
    wins = (above > 0) + 0.5 * (above == 0)
    variance = wins.mean(1).var(ddof=1) / truth.sum() + wins.mean(0).var(ddof=1) / (~truth).sum()
    effective = interval.value * (1 - interval.value) / variance
    low, high = proportion_confint(interval.value * effective, effective, method="wilson")
    assert (interval.low, interval.high) == (pytest.approx(low), pytest.approx(high))


def test_a_perfect_area_of_few_rows_is_not_certain() -> None:
    interval = intervals.roc_auc([0.9, 0.8, 0.2, 0.1], [True, True, False, False])
    assert (interval.value, interval.high) == (1.0, 1.0)
    assert interval.low == pytest.approx(intervals.proportion(2, 2).low)


def test_an_area_needs_both_answers() -> None:
    interval = intervals.roc_auc([0.1, 0.9], [True, True])
    assert interval.value is None
    assert "one of the two answers" in interval.method


def test_an_area_over_copied_rows_is_that_of_the_rows() -> None:
    scores, truth = scored(50, 1)
    copied = intervals.roc_auc(
        np.repeat(scores, 6), np.repeat(truth, 6), list(np.repeat(range(50), 6))
    )
    alone = intervals.roc_auc(scores, truth)
    assert copied.low == pytest.approx(alone.low, abs=0.01)
    assert copied.high == pytest.approx(alone.high, abs=0.01)


def test_f1_comes_from_the_share_of_hits_among_all_that_either_marked() -> None:
    interval = intervals.f1(6, 8, 10)
    share = intervals.proportion(6, 12)
    assert interval.value == pytest.approx(12 / 18)
    assert interval.low == pytest.approx(2 * share.low / (1 + share.low))
    assert intervals.f1(5, 5, 5).low < 1


def test_the_difference_of_two_shares_has_newcombes_interval() -> None:
    # Newcombe (1998), "Interval estimation for the difference between independent proportions",
    # table II, row (a) 56/70 − 48/80, method 10: 0.0524 to 0.3339.
    interval = intervals.difference(intervals.proportion(48, 80), intervals.proportion(56, 70))
    assert interval.value == pytest.approx(0.2)
    assert interval.low == pytest.approx(0.0524, abs=5e-5)
    assert interval.high == pytest.approx(0.3339, abs=5e-5)


def test_what_cannot_be_computed_is_none_with_a_reason() -> None:
    assert intervals.mean([]).value is None
    assert intervals.proportion(0, 0).method == "no rows"
    assert str(Interval(None)) == "–"
    assert str(Interval(0.5)) == "0.500"


def test_an_interval_that_rounds_to_zero_is_shown_without_a_sign() -> None:
    assert str(Interval(-0.0001, -0.0002, 0.0003)) == "0.000 [0.000, 0.000]"
