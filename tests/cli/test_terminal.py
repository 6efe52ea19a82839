"""Progress in lines, for logs: how many rows, how fast, how long it will take."""

from __future__ import annotations

import pytest

from staytrue.cli import terminal


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which only a test moves."""
    now = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    return now


def test_a_line_tells_rows_rate_and_time_left(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with terminal.progress_bar(100) as advance:
        clock[0] = 20.0
        advance(40)
    assert capsys.readouterr().err == "40 rows, 2.0/s, 30 s left\n"


def test_before_the_first_row_there_is_no_rate(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with terminal.progress_bar(100) as advance:
        clock[0] = 20.0
        advance(0)
    assert capsys.readouterr().err == ""
