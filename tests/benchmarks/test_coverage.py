"""A 95 % interval holds the truth in 95 % of samples: the coverage simulation in small."""

from __future__ import annotations

from statistics import fmean

import pytest
from benchmarks.coverage import CASES, SIZES, coverage


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("figure", ["proportion", "mean", "ROC-AUC"])
def test_intervals_cover_what_they_say(figure: str, n: int) -> None:
    cases = [case for case in CASES if case.figure == figure]
    shares = [coverage(case, n, runs=600, beside=False).share for case in cases]
    # Shares of few rows are discrete, so single cases lie about the 95 % and not on it.
    assert 0.93 <= fmean(shares) <= 0.97
    assert min(shares) >= 0.9


def test_the_percentile_bootstrap_would_be_found_out() -> None:
    rare = next(case for case in CASES if case.data == "p = 0.05")
    assert coverage(rare, 20, runs=200).percentile < 0.8
