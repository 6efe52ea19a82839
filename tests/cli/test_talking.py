"""What commands that talk to bots print while they talk."""

from __future__ import annotations

import pytest

from staytrue.cli import probe
from staytrue.cli.talking import LineByLine, listening, print_estimate
from staytrue.elicit.consistest.variants import VARIANTS
from staytrue.elicit.talking import Estimate, Progress, Range


def test_progress_shows_done_failed_and_left(capsys: pytest.CaptureFixture[str]) -> None:
    LineByLine("dialogues", seconds=0).progress(Progress(15, done=2, failed=3, replies=70))
    assert capsys.readouterr().err == "2 dialogues done, 3 failed, 10 left; 70 replies\n"


def test_advice_is_given_even_when_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with listening("dialogues", quiet=True) as listener:
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
