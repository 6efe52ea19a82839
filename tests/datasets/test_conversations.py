"""A row with a whole conversation is one example per turn of the bot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from staytrue.core.records import Example, Failure
from staytrue.datasets.tabular import read

TURNS = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "When do you open?"},
    {"role": "assistant", "content": "At nine.", "knowledge": "Open at 9.", "consistent": True},
    {"role": "user", "content": "And on Sunday?"},
    {"role": "assistant", "content": "At nine, too.", "consistent": False},
]


def rows(folder: Path, row: dict[str, Any]) -> list[Example | Failure]:
    path = folder / "talk.jsonl"
    path.write_text(json.dumps(row))
    return list(read(str(path)))


def test_each_turn_of_the_bot_is_an_example_with_what_was_said_before(tmp_path: Path) -> None:
    row = {"id": "a", "persona": ["I keep a shop."], "knowledge": "Closed on Sunday.",
           "consistent": False, "turns": TURNS}  # fmt: skip
    first, second = rows(tmp_path, row)
    assert isinstance(first, Example)
    assert isinstance(second, Example)
    assert (first.id, second.id) == ("a-3", "a-5")
    assert (first.response, second.response) == ("At nine.", "At nine, too.")
    assert (first.knowledge, second.knowledge) == ("Open at 9.", "Closed on Sunday.")
    assert (first.consistent, second.consistent) == (True, False)
    assert [(turn.speaker, turn.text) for turn in second.history] == [
        ("user", "When do you open?"), ("bot", "At nine."), ("user", "And on Sunday?"),
    ]  # fmt: skip
    assert first.persona == ("I keep a shop.",)
    assert first.tags["dialogue"] == "a"


def test_a_judgement_of_the_conversation_is_none_of_its_turns(tmp_path: Path) -> None:
    turns = [{"speaker": "user", "text": "Hi."}, {"speaker": "bot", "text": "Hello."}]
    (example,) = rows(tmp_path, {"consistent": False, "turns": turns})
    assert isinstance(example, Example)
    assert example.consistent is None
    assert example.id


def test_a_conversation_without_the_bot_is_an_error_record(tmp_path: Path) -> None:
    (example,) = rows(tmp_path, {"turns": [{"speaker": "user", "text": "Hi."}]})
    assert isinstance(example, Failure)
    assert "no turn of the bot" in example.error


def test_a_turn_that_is_no_object_is_named(tmp_path: Path) -> None:
    (example,) = rows(tmp_path, {"turns": ["Hi."]})
    assert isinstance(example, Failure)
    assert "Turn 1" in example.error
