"""The section on two cores: each figure beside the command that prints it."""

from __future__ import annotations

import os

import pytest
from reproduce import two_cores


def test_threads_are_limited_for_the_rest_of_the_page_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    with two_cores._all_threads():
        assert "OMP_NUM_THREADS" not in os.environ
    assert os.environ["OMP_NUM_THREADS"] == "1"


@pytest.mark.slow
def test_each_figure_stands_beside_its_command() -> None:
    lines = two_cores.section(q2_rows=2, begin_rows=2, consistency_rows=2, rounds=1, calls=2)
    rows = [line.split(" | ") for line in "\n".join(lines).splitlines() if line.startswith("| ")]
    measured = rows[2:]
    assert all(float(row[1]) > 0 for row in measured)
    assert [row[3].rstrip(" |") for row in measured] == [
        "`python -m benchmarks.q2`",
        "`python -m benchmarks.begin`",
        "`python -m benchmarks.consistency`",
        "`python -m benchmarks.consistency --words 500`",
        "`python -m benchmarks.first`",
        "`python -m benchmarks.first`",
        "`python -m benchmarks.guard`",
        "`python -m benchmarks.guard`",
    ]
