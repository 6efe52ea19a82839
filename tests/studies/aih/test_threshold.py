from __future__ import annotations

import pytest

from staytrue.studies.aih.threshold import TAUS, best, table

SCORES = [0.05, 0.12, 0.2, 0.4, 0.6, 0.9]
TRUTH = [False, False, True, False, True, True]


def test_rates_fall_as_the_threshold_grows() -> None:
    rates = [row.rate for row in table(SCORES)]
    assert rates == sorted(rates, reverse=True)
    assert [row.tau for row in table(SCORES)] == list(TAUS)
    assert all(row.f1 is None and row.r is None for row in table(SCORES))


def test_f1_and_r_against_people() -> None:
    row = table(SCORES, TRUTH, [0.5])[0]
    assert row.f1 == pytest.approx(0.8)
    assert row.r == pytest.approx(0.7071, abs=1e-4)


def test_nothing_to_judge_gives_no_rows_and_no_variance_no_r() -> None:
    assert table([]) == []
    assert table([0.5, 0.5], [True, True], [0.1])[0].r is None


def test_the_best_threshold_has_the_highest_f1() -> None:
    assert best(SCORES, TRUTH).f1 == pytest.approx(6 / 7)
