"""A bot's recorded answers, played back: no model and no network.

    transcript:FILE                  rows {"history": […], "response": "…"} (JSON lines, .gz too)
    transcript:FILE,match=message    looks at the last turn only

A row may have `message` instead of `history`. Where one context has several recorded answers,
the seed chooses. What was never recorded is an error, not an invented reply.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from staytrue.core.errors import ChatbotError, DataError, UsageError, one_line
from staytrue.core.records import Turn

Context = tuple[str, ...]


@dataclass(frozen=True)
class TranscriptChatbot:
    """Gives the answer that was recorded for this history, or for its last turn."""

    answers: Mapping[Context, Sequence[str]]
    match: str = "history"

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        """A recorded answer; the seed chooses among several."""
        texts = tuple(_folded(turn.text) for turn in history)
        context = texts if self.match == "history" else texts[-1:]
        recorded = self.answers.get(context)
        if not recorded:
            last = one_line(history[-1].text, 60) if history else "an empty history"
            raise ChatbotError(f"The transcript has no answer to: {last}")
        return random.Random(seed).choice(recorded)


def load(file: str = "", *, match: Literal["history", "message"] = "history") -> TranscriptChatbot:
    """Make the bot from `FILE,match=history|message`."""
    answers: dict[Context, list[str]] = {}
    for context, response in recorded(file, "transcript"):
        answers.setdefault(context if match == "history" else context[-1:], []).append(response)
    return TranscriptChatbot(answers, match)


def recorded(file: str, bot: str) -> Iterator[tuple[Context, str]]:
    """The contexts and responses of a file of recorded answers, for the bot that is named."""
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"There is no transcript '{file}'; write {bot}:FILE.")
    opener: Any = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as lines:
            yield from _parsed(file, lines)
    except (OSError, EOFError, UnicodeDecodeError):
        raise DataError(f"{file} cannot be read as text: save it as UTF-8.") from None


def _parsed(file: str, lines: Iterable[str]) -> Iterator[tuple[Context, str]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                row = json.loads(line)
                yield _context(row), str(row["response"])
            except (ValueError, KeyError, TypeError, AttributeError):
                raise DataError(
                    f"Line {number} of {file} is not a row with history or message and response."
                ) from None


def _context(row: Mapping[str, Any]) -> Context:
    if "history" not in row:
        return (_folded(row.get("message", "")),)
    turns = row["history"]
    return tuple(_folded(turn if isinstance(turn, str) else turn["text"]) for turn in turns)


def _folded(text: str) -> str:
    return " ".join(text.lower().split())
