"""The estimate of a run on Ray follows from a sample that is judged here."""

from __future__ import annotations

import pytest

from staytrue.core.errors import UsageError
from staytrue.core.records import Example, Failure
from staytrue.runs.engines.cluster import Cluster
from staytrue.runs.engines.driver import DriverSeconds
from staytrue.runs.engines.estimate import SAMPLE, JudgingEstimate, _with_threads, estimate


def test_time_and_cost_follow_from_rows_and_workers() -> None:
    estimate = JudgingEstimate(
        rows=3600, unreadable=0, workers=4, cpus=2, start=100, per_row=2, read=60,
        driver=DriverSeconds(stage=0.1, store=0.2),
    )  # fmt: skip
    assert estimate.staging == 60 + 3600 * 0.1
    assert estimate.seconds == estimate.staging + 100 + 3600 * 2 / 4
    assert estimate.cpu_hours == pytest.approx(1900 * 8 / 3600)


def test_more_workers_do_not_help_where_storing_takes_longer_than_judging() -> None:
    driver = DriverSeconds(stage=0, store=0.5)
    few, many = (JudgingEstimate(3600, 0, workers, 1, 0, 1.0, 0, driver) for workers in (4, 100))
    assert few.seconds == many.seconds == 1800


def test_the_sample_is_judged_with_the_threads_of_a_worker() -> None:
    assert _with_threads("embedded", 2) == "embedded,threads=2"
    assert _with_threads("embedded,threads=1", 2) == "embedded,threads=1"
    assert _with_threads("scripted", 2) == "scripted"


def test_all_rows_are_counted_and_a_sample_of_them_is_judged() -> None:
    rows = [Example(str(n), "tea", "tea") for n in range(2 * SAMPLE)]
    needed = estimate([*rows, Failure("last", "not JSON")], ["overlap"], None, Cluster(workers=3))
    assert (needed.rows, needed.unreadable, needed.workers) == (2 * SAMPLE, 1, 3)
    assert needed.sample == SAMPLE
    assert 0 < needed.per_row < 1


def test_without_rows_there_is_nothing_to_estimate() -> None:
    with pytest.raises(UsageError, match="has no examples"):
        estimate([Failure("1", "not JSON")], ["overlap"], None, Cluster(workers=1))
