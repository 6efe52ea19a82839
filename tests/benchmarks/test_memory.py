"""The benchmark of memory sees every process of a command, and how much each takes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from benchmarks.memory import Process, kind_of, rows, shown, watched

MEGABYTE = 2**20


def test_no_two_rows_are_alike() -> None:
    made = list(rows(100))
    assert len({row["knowledge"] for row in made}) == len({row["response"] for row in made}) == 100


def test_growth_is_that_of_the_last_quarter_over_the_second() -> None:
    flat = Process("worker", resident=[1, 90, 100, 100, 100, 100, 100, 100])
    growing = Process("worker", resident=[n * MEGABYTE for n in range(8)], peak=7 * MEGABYTE)
    assert flat.growth == 0
    assert growing.growth == 4 * MEGABYTE
    assert shown(growing) == "  worker: peak 7 MB, growth +4 MB"
    assert Process("driver", resident=[1]).growth is None


def test_workers_are_told_from_the_rest_of_ray() -> None:
    assert kind_of("ray::MapBatches(Judge)") == "worker"
    assert kind_of("ray::MapWorker(MapBatches(Judge)).submit") == "worker"
    assert kind_of("/usr/bin/raylet --port=1") == "Ray itself"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
def test_the_peak_of_a_process_and_of_its_children_is_seen() -> None:
    child = "import time; text = 'x' * 60_000_000; time.sleep(1.5)"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    seen = watched([sys.executable, "-c", code], seconds=0.05)
    driver, *others = sorted(seen.values(), key=lambda one: one.name != "driver")
    assert driver.name == "driver"
    assert max(one.peak for one in others) > 60_000_000


def test_a_command_that_fails_is_not_measured() -> None:
    with pytest.raises(SystemExit, match="status 3"):
        watched([sys.executable, "-c", "raise SystemExit(3)"], seconds=0.05)
