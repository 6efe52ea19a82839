"""A bot is let talk with what people said, and plays the persona of their dialogue."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from reproduce.local_talk import TOPICS, Partner, interrogated, openly, partners, replies

from staytrue.core.records import Turn
from staytrue.elicit.aih.inquirer import Question


class Echo:
    """Says how many turns it has seen, whom it plays and with which seed."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, ...]] = []
        self.seeds: list[int] = []

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        self.seen.append(tuple(turn.text for turn in history))
        self.seeds.append(seed)
        return f"{persona[0]} {len(history)}"


def test_the_bot_hears_the_partner_and_itself() -> None:
    bot = Echo()
    partner = Partner("someone", ("hi", "who?", "where?", "bye"), ("i am bob",))
    assert list(replies(bot, partner, 3, seed=1)) == ["i am bob 1", "i am bob 3", "i am bob 5"]
    assert bot.seen[-1] == ("hi", "i am bob 1", "who?", "i am bob 3", "where?")
    assert len(set(bot.seeds)) == 3


def test_partners_say_every_second_turn_and_come_in_an_order_of_the_seed(tmp_path: Path) -> None:
    (tmp_path / "consistest").mkdir()
    talk = ["hello", "hi", "what do you do ?", "ski"]
    rows = {str(n): {"persona": [f"i am {n} ."], "utterances": talk} for n in range(20)}
    (tmp_path / "consistest" / "valid.json").write_text(json.dumps(rows))
    bots = partners(tmp_path, seed=0)
    assert Partner("PersonaChat #7", ("hello", "what do you do ?"), ("i am 7 .",)) in bots
    assert bots == partners(tmp_path, seed=0) != partners(tmp_path, seed=1)


def test_open_questions_are_about_every_topic_and_come_in_an_order_of_the_seed() -> None:
    bots = openly(seed=0)
    assert sorted(one.name for one in bots) == sorted(TOPICS)
    assert all(one.name in one.says[0] and not one.persona for one in bots)
    assert bots == openly(seed=0) != openly(seed=1)


class Asks:
    """Has two questions about whatever was said."""

    def candidates(self, utterances: Sequence[str]) -> list[list[Question]]:
        return [
            [Question(text, span, f"what is {span}?", "entity") for span in ("a", "b")]
            for text in utterances
        ]


def test_inquiries_and_answers_do_not_enter_the_talk() -> None:
    bot = Echo()
    partner = Partner("someone", ("hi", "who?"), ("i am bob",))
    rows = list(interrogated(bot, partner, 2, 1, Asks(), each=2))
    assert [row["reply"] for row in rows] == ["i am bob 1", "i am bob 3"]
    assert [row["turn"] for row in rows] == [0, 1]
    asked = rows[1]["inquiries"]
    assert {one["inquiry"] for one in asked} == {"what is a?", "what is b?"}
    # The bot hears its talk and the one question.
    assert [one["answer"] for one in asked] == ["i am bob 5", "i am bob 5"]
    assert not any(text.startswith("what is") for seen in bot.seen for text in seen[:-1])
    once = list(interrogated(Echo(), partner, 2, 1, Asks()))
    assert [len(row["inquiries"]) for row in once] == [1, 1]
