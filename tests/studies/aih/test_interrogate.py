"""`staytrue.interrogate` from Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import staytrue
from staytrue.core.errors import UsageError
from staytrue.elicit.talking import Limits, Listener, Progress
from staytrue.studies.aih.records import read_ranking

BOTS = ["persona:seed=1,slip=0", "persona:seed=2,slip=0.5"]


class Silent:
    """Says nothing about itself."""

    def reply(
        self, history: Sequence[staytrue.Turn], *, persona: Sequence[str] = (), seed: int = 0
    ) -> str:
        return "Oh, really?"


class Broken(Silent):
    """Fails in every second dialogue."""

    def reply(
        self, history: Sequence[staytrue.Turn], *, persona: Sequence[str] = (), seed: int = 0
    ) -> str:
        if seed % 2:
            raise RuntimeError("out of order")
        return "I have two cats."


def test_bots_are_ranked_without_a_run_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = staytrue.interrogate(BOTS, dialogues=2, turns=4, backend="scripted", draws=20)
    assert len(result.dialogues) == 8
    assert len(result.verdicts) == result.inquiries > 0
    assert sorted(bot.bot for bot in result.ranking.bots) == sorted(BOTS)
    assert (result.failures, result.stopped, result.folder) == ((), "", None)
    assert f"{result.inquiries} inquiries in 8 dialogues" in str(result)
    assert "contradictions per inquiry" in str(result)
    assert list(tmp_path.iterdir()) == []


def test_with_a_folder_the_same_call_resumes(tmp_path: Path) -> None:
    options = {"dialogues": 2, "turns": 4, "backend": "scripted", "draws": 20, "out": tmp_path}
    first = staytrue.interrogate(BOTS, **options, limits=Limits(max_requests=30))
    assert "--max-requests" in first.stopped
    assert len(first.dialogues) < 8
    second = staytrue.interrogate(BOTS, **options)
    assert second.stopped == ""
    assert len(second.dialogues) == 8
    assert all(verdict in second.verdicts for verdict in first.verdicts)
    assert read_ranking(tmp_path) == second.ranking


def test_objects_are_bots_under_names_of_their_own_and_silence_is_not_ranked() -> None:
    bots = {"silent": Silent(), "persona": staytrue.load_chatbot("persona:seed=1")}
    result = staytrue.interrogate(bots, dialogues=2, turns=4, backend="scripted", draws=20)
    silent = result.ranking.bots[-1]
    assert (silent.bot, silent.rank, silent.statements_per_turn) == ("silent", None, 0.0)
    assert "too few to rank" in str(result)


class Counted(Listener):
    last = Progress(0)

    def progress(self, progress: Progress) -> None:
        self.last = progress


def test_lost_dialogues_are_failures_and_no_progress() -> None:
    heard = Counted()
    result = staytrue.interrogate(
        {"broken": Broken()}, dialogues=4, turns=1, backend="scripted", draws=20,
        limits=Limits(retries=0), listener=heard,
    )  # fmt: skip
    assert result.failures
    assert "RuntimeError: out of order" in result.failures[0].error
    assert result.ranking.failed_dialogues == len(result.failures)
    assert (heard.last.done, heard.last.failed) == (len(result.dialogues), len(result.failures))
    assert heard.last.left == 0


def test_an_expert_who_ranks_other_bots_is_refused() -> None:
    with pytest.raises(UsageError, match="every --bot once"):
        staytrue.interrogate(BOTS, expert=BOTS[:1], backend="scripted")


def test_nobody_cannot_be_interrogated() -> None:
    with pytest.raises(UsageError, match="no bot to interrogate"):
        staytrue.interrogate([])
