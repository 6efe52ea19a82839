"""`staytrue.probe` from Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import staytrue
from staytrue.elicit.talking import Limits

QUESTIONS = ("do you sing?", "do you dance?", "do you cook?", "do you swim?")


class Agreeable:
    def __init__(self) -> None:
        self.asked = 0

    def reply(
        self, history: Sequence[staytrue.Turn], *, persona: Sequence[str] = (), seed: int = 0
    ) -> str:
        self.asked += 1
        return "yes"


def probes() -> list[staytrue.Example]:
    return [
        staytrue.Example(
            str(number), "", history=(staytrue.Turn("user", question),), persona=("i sing .",),
            probe=staytrue.Probe(
                question, "yes" if number else "no", "i sing .", "yn", "persona", distance=0
            ),
        )
        for number, question in enumerate(QUESTIONS)
    ]  # fmt: skip


def test_a_bot_is_scored_without_a_run_folder() -> None:
    result = staytrue.probe(Agreeable(), probes(), metrics=["hybrid,nli=off"], backend="scripted")
    assert [answer.response for answer in result.answers] == ["yes"] * 4
    assert result.scores["hybrid,nli=off"].mean.value == 0.75
    assert len(result.judged("hybrid,nli=off")) == 4
    assert "Agreeable: 4 answers" in str(result)
    assert "hybrid,nli=off: mean score [95 %] 0.750" in str(result)


def test_a_limit_stops_the_asking_and_the_same_call_goes_on(tmp_path: Path) -> None:
    bot = Agreeable()
    options = {"metrics": ["hybrid,nli=off"], "backend": "scripted", "out": tmp_path}
    first = staytrue.probe(bot, probes(), **options, limits=Limits(max_requests=3))
    assert len(first.answers) == 3
    assert "does not cover another probe" in str(first)
    second = staytrue.probe(bot, probes(), **options)
    assert len(second.answers) == bot.asked == 4
