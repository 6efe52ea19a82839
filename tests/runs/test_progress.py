"""Progress bars: how fast it goes, and no total that has turned out to be wrong."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

import staytrue
from staytrue.runs import progress


def test_a_bar_forgets_a_total_that_is_exceeded(capsys: pytest.CaptureFixture[str]) -> None:
    for done, shown in ((2, "2/2"), (3, "3/?")):
        with progress.bar(2) as advance:
            advance(done)
        assert shown in capsys.readouterr().out


@pytest.mark.parametrize("notebook", [True, False])
def test_a_bar_shows_in_a_notebook_and_not_in_a_log(
    notebook: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if notebook:
        monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    else:
        monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    rows = [{"response": f"tea {number}", "knowledge": "tea"} for number in range(100)]
    staytrue.evaluate(rows, "overlap")
    shown = capsys.readouterr()
    assert ("100/100" in shown.out) is notebook
    assert "100/100" not in shown.err


@pytest.mark.parametrize(
    ("done", "seconds", "left", "shown"),
    [
        (4_000, 2.0, 1_000, "2,000/s, 0 s left"),
        (40, 20.0, 60, "2.0/s, 30 s left"),
        (1, 40.0, 3, "0.025/s, 120 s left"),
        (5, 5.0, None, "1.0/s"),
        (5, 5.0, 0, "1.0/s"),
    ],
)
def test_a_pace_is_a_rate_and_the_time_that_the_rest_takes(
    done: int, seconds: float, left: int | None, shown: str
) -> None:
    assert progress.pace(done, seconds, left) == shown
