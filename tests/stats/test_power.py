"""Power and sample sizes, against another implementation (statsmodels)."""

from __future__ import annotations

from typing import Any

import pytest

from staytrue.stats.power import detectable, detectable_between, examples_needed, power


def theirs() -> Any:
    from statsmodels.stats.power import TTestPower

    return TTestPower()


@pytest.mark.parametrize("effect", [0.1, 0.35, 0.8])
@pytest.mark.parametrize("n", [5, 30, 90])
def test_power_is_that_of_statsmodels(effect: float, n: int) -> None:
    assert power(effect, 1.0, n) == pytest.approx(theirs().power(effect, n, 0.05), abs=1e-6)


@pytest.mark.parametrize(("effect", "deviation"), [(0.03, 0.3), (0.03, 0.1), (0.2, 0.25)])
def test_examples_needed_are_those_of_statsmodels(effect: float, deviation: float) -> None:
    needed = theirs().solve_power(effect / deviation, power=0.8, alpha=0.05)
    assert examples_needed(effect, deviation) == pytest.approx(needed, abs=1)


def test_the_detectable_difference_needs_exactly_the_examples_that_there_are() -> None:
    smallest = detectable(0.3, 120)
    assert smallest is not None
    assert examples_needed(smallest * 1.0001, 0.3) == 120


def test_two_samples_need_a_larger_difference_than_pairs_with_the_same_spread() -> None:
    pairs, samples = detectable(0.3, 50), detectable_between(0.3, 50, 0.3, 50)
    assert pairs is not None
    assert samples is not None
    assert samples == pytest.approx(pairs * 2**0.5, rel=0.02)


def test_what_no_number_of_examples_can_show_is_none() -> None:
    assert examples_needed(0.0, 0.3) is None
    assert examples_needed(1e-9, 0.3) is None
    assert detectable(0.3, 1) is None
    # Pairs that are all alike say nothing of how much others would differ.
    assert examples_needed(0.03, 0.0) is None
    assert detectable(0.0, 40) is None
