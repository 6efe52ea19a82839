"""Progress in lines, for logs: how many rows, how fast, how long it will take."""

from __future__ import annotations

from threading import Event

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


def test_while_one_row_takes_long_a_line_says_so_about_every_ten_seconds(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = terminal._ProgressLines(100, "row")
    lines.advance(1)
    for now in (5.0, 12.0, 15.0, 22.0):
        clock[0] = now
        lines.tick()
    clock[0] = 30.0
    lines.advance(63)
    assert capsys.readouterr().err.splitlines() == [
        "still working: 1 row so far, after 12 s",
        "still working: 1 row so far, after 22 s",
    ]
    clock[0] = 32.0
    lines.advance(1)
    assert capsys.readouterr().err == "65 rows, 2.0/s, 17 s left\n"


def test_the_line_comes_from_a_timer_that_ends_with_the_run(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    told = Event()

    def note(message: str) -> None:
        said.append(message)
        told.set()

    monkeypatch.setattr(terminal, "note", note)
    monkeypatch.setattr(terminal, "SECONDS_BETWEEN_LINES", 0.01)
    with terminal.progress_bar(100):
        clock[0] = 20.0  # nothing is finished meanwhile
        assert told.wait(10)
    clock[0] = 40.0
    told.clear()
    assert not told.wait(0.05)
    assert said == ["still working: 0 rows so far, after 20 s"]


def test_quiet_runs_say_nothing(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.progress_bar(100, quiet=True) as advance:
        clock[0] = 20.0
        advance(40)
    assert capsys.readouterr().err == ""
