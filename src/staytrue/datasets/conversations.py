"""Whole conversations: one row per dialogue becomes one example per turn of the bot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from staytrue.core.errors import DataError
from staytrue.datasets.files import Row
from staytrue.datasets.other_tools import speaker_of
from staytrue.datasets.spans import NOBODY

_BOTS = frozenset({"bot", "assistant", "ai", "chatbot", "agent", "model"})
# What a turn may have of its own. Judgements of a whole conversation are not judgements of a turn.
_OF_A_TURN = ("knowledge", "consistent", "label", "rating", "tags")
_OF_TURNS_ONLY = frozenset({"turns", "consistent", "label", "rating"})


def every_turn(row: Row) -> Iterator[Row]:
    """The row; or, where it has `turns`, a row for each turn of the bot.

    A turn is judged with the turns before it as history, the conversation's persona, and the
    knowledge of the turn or, where it has none, of the conversation.
    """
    turns = row.values.get("turns")
    if not isinstance(turns, list):
        yield row
        return
    shared = {name: value for name, value in row.values.items() if name not in _OF_TURNS_ONLY}
    name = str(shared.get("id") or "")
    history: list[dict[str, Any]] = []
    answered = False
    for number, turn in enumerate(turns, 1):
        if not isinstance(turn, Mapping) or not ({"text", "content"} & set(turn)):
            raise DataError(f"Turn {number} is not an object with 'speaker' and 'text'.")
        speaker, text = speaker_of(turn), turn.get("text", turn.get("content"))
        if speaker in NOBODY:
            continue
        if speaker.lower() in _BOTS:
            answered = True
            own = {field: turn[field] for field in _OF_A_TURN if field in turn}
            values = shared | own | {"history": list(history), "response": text}
            if name:
                values |= {"id": f"{name}-{number}", "tags": _tags(values.get("tags"), name)}
            yield Row(f"{row.where}, turn {number}", values)
            speaker = "bot"
        history.append({"speaker": speaker, "text": text})
    if not answered:
        raise DataError("The conversation has no turn of the bot: call its speaker 'bot'.")


def _tags(tags: Any, dialogue: str) -> Any:
    """The tags with the dialogue among them, by which intervals know what belongs together."""
    if tags in (None, ""):
        tags = {}
    return {"dialogue": dialogue, **tags} if isinstance(tags, Mapping) else tags
