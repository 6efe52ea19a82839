"""What commands that talk to bots print while they talk."""

from __future__ import annotations

import time

import pytest
from rich.progress import Progress as Display

from staytrue.cli import probe
from staytrue.cli.talking import Bar, LineByLine, listening, print_estimate
from staytrue.elicit.consistest.variants import VARIANTS
from staytrue.elicit.talking import Estimate, Progress, Range


def test_progress_shows_done_failed_and_left(capsys: pytest.CaptureFixture[str]) -> None:
    LineByLine("dialogue", seconds=0).progress(Progress(15, done=2, failed=3, replies=70))
    assert capsys.readouterr().err == "2 dialogues done, 3 failed, 10 left; 70 replies\n"


def test_rate_and_time_left_are_those_of_this_sitting(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    lines = LineByLine("dialogue", seconds=0)
    lines.progress(Progress(30, done=10, failed=1))  # by an earlier sitting
    now[0] = 140.0
    lines.progress(Progress(30, done=13, failed=2, replies=90))
    assert capsys.readouterr().err.splitlines() == [
        "10 dialogues done, 1 failed, 19 left; 0 replies",
        "13 dialogues done, 2 failed, 15 left; 90 replies; 0.1/s, 150 s left",
    ]


def test_a_bar_shows_rate_and_time_left_too(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    display = Display()
    bar = Bar(display, "probe")
    bar.progress(Progress(4))
    now[0] = 102.0
    bar.progress(Progress(4, done=1, replies=1))
    (task,) = display.tasks
    assert task.fields["counts"] == "1 probe done, 0 failed, 3 left; 1 reply; 0.5/s, 6 s left"
    assert (task.completed, task.total) == (1, 4)


def test_advice_is_given_even_when_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with listening("dialogue", quiet=True) as listener:
        listener.progress(Progress(1))
        listener.advise("Set a longer timeout.")
    assert capsys.readouterr().err == "Set a longer timeout.\n"


def test_a_cost_is_estimated_only_where_prices_are_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    free, paid = Range(0, 0), Range(1.5, 2.5)
    for cost, shown in ((free, False), (paid, True)):
        print_estimate(Estimate(3, Range(90, 120), Range(900, 1200), Range(9, 12), cost), "probes")
        output = capsys.readouterr().out
        assert ("cost" in output) == shown
        assert "1,200" in output


def test_the_command_offers_every_variant() -> None:
    assert probe.VARIANTS == VARIANTS
