"""Talks between two chatbots with the inquiries made about them (AIH), and the file they go to.

`RUN/dialogues.jsonl` holds one finished dialogue per line; a kill loses only those under way.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from staytrue.core.errors import RunError
from staytrue.core.records import Example, JsonDict, Probe, Turn

DIALOGUES = "dialogues.jsonl"
DialogueKey = tuple[str, str, int]
"""First bot, second bot and number of a dialogue."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question to the judged bot about something that it said, and its answer."""

    turn: int
    """Which of the judged bot's turns it is about, from 0."""
    asked_after: int
    """The judged bot's turn after which it was asked."""
    utterance: str
    """What the bot said in that turn."""
    statement: str
    """The sentence that the question was made from."""
    span: str
    """The words that the question asks for; "yes" or "no" for a yes/no question."""
    question: str
    answer: str
    strategy: str
    """"entity", "opinion", "yesno" or "paper"."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One talk: `first` opens, `second` is the judged bot."""

    first: str
    second: str
    number: int
    texts: tuple[str, ...]
    """What was said, in turns, the first bot's opening first."""
    inquiries: tuple[Inquiry, ...]

    @property
    def id(self) -> str:
        """Unique in a run."""
        return dialogue_id(self.first, self.second, self.number)


def dialogue_id(first: str, second: str, number: int) -> str:
    """The name of one dialogue of a pair."""
    return f"{first} > {second} #{number}"


def seen_by_second(texts: tuple[str, ...]) -> tuple[Turn, ...]:
    """The talk as the judged bot sees it: its own turns are the bot's."""
    return tuple(Turn("bot" if n % 2 else "user", text) for n, text in enumerate(texts))


def seen_by_first(texts: tuple[str, ...]) -> tuple[Turn, ...]:
    """The talk as the other bot sees it."""
    return tuple(Turn("user" if n % 2 else "bot", text) for n, text in enumerate(texts))


def examples_of(dialogue: Dialogue) -> Iterator[Example]:
    """One example per inquiry: is the answer true to what the bot said before?"""
    for inquiry in dialogue.inquiries:
        heard = dialogue.texts[: 2 * inquiry.asked_after + 2]
        probe = Probe(
            inquiry.question, inquiry.span, inquiry.statement,
            "yn" if inquiry.strategy == "yesno" else "wh",
            source="history", turn=inquiry.turn, distance=inquiry.asked_after - inquiry.turn,
        )  # fmt: skip
        yield Example(
            id=f"{dialogue.id} turn {inquiry.turn}",
            response=inquiry.answer,
            knowledge=inquiry.utterance,
            history=(*seen_by_second(heard), Turn("user", inquiry.question)),
            probe=probe,
            tags={
                "first": dialogue.first,
                "second": dialogue.second,
                "dialogue": str(dialogue.number),
                "strategy": inquiry.strategy,
            },
        )


def dialogue_to_json(dialogue: Dialogue) -> JsonDict:
    """The dialogue as one line of the file."""
    row = asdict(dialogue)
    row["texts"] = list(dialogue.texts)
    row["inquiries"] = list(row["inquiries"])
    return row


def dialogue_from_json(row: JsonDict) -> Dialogue:
    """The inverse of `dialogue_to_json`."""
    values = dict(row)
    values["texts"] = tuple(values["texts"])
    values["inquiries"] = tuple(Inquiry(**inquiry) for inquiry in values["inquiries"])
    return Dialogue(**values)


def read_dialogues(folder: str | Path) -> Iterator[Dialogue]:
    """Every finished dialogue of a run."""
    path = Path(folder) / DIALOGUES
    if not path.is_file():
        raise RunError(f"{folder} has no dialogues: make them with  staytrue interrogate … --out.")
    with path.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                yield dialogue_from_json(json.loads(line))


class DialogueFile:
    """Appends finished dialogues; opening it again cuts off half a line that a kill left."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / DIALOGUES
        if path.exists():
            whole = path.read_bytes().rpartition(b"\n")
            os.truncate(path, len(whole[0]) + len(whole[1]))
        self._file: IO[bytes] = path.open("ab")

    def add(self, dialogue: Dialogue) -> None:
        """Append one dialogue, and return when it is on the disk."""
        line = json.dumps(dialogue_to_json(dialogue), ensure_ascii=False)
        self._file.write(line.encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()
