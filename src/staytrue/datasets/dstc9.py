"""DSTC9 interactive track (Gunasekara et al., 2021), people talking with bots: `dstc9:PATH`.

One example each bot utterance after its first: `knowledge` is what the bot stated before in the
talk. People judged whole dialogues, so `consistent` is the judgement of the dialogue that the
utterance stands in. PATH is a file, or a folder of files, one per bot.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from staytrue.core.errors import DataError
from staytrue.core.records import Example, Failure, Turn
from staytrue.datasets.files import Row, convert
from staytrue.datasets.tabular import text

SOURCE = "the organisers of DSTC9's interactive track, one file per bot; no licence stated"
"""Where the files come from: publisher, names, licence."""

_SPEAKERS = {"user": "user", "human": "user", "system": "bot", "bot": "bot"}


def read(path: str) -> Iterator[Example | Failure]:
    """Bot utterances with what the bot said before; tags name the bot and the dialogue."""
    folder = Path(path)
    files = sorted(folder.glob("*.json*")) if folder.is_dir() else [folder]
    if not files:
        raise DataError(f"There is no JSON file in {path}: give the folder of the DSTC9 files.")
    for file in files:
        bot = file.name.split(".")[0].removeprefix("dstc9_")
        numbers = iter(range(10**9))
        yield from convert(str(file), partial(_examples, bot, numbers))


def _examples(bot: str, numbers: Iterator[int], row: Row) -> Iterator[Example]:
    number = next(numbers)
    turns = talk(row.values.get("context"))
    bot = text("system", row.values.get("system")) or bot
    statements: list[str] = []
    for index, turn in enumerate(turns):
        if turn.speaker != "bot":
            continue
        if statements:
            yield Example(
                id=f"{bot} #{number} turn {index}",
                response=turn.text,
                knowledge=" ".join(statements),
                history=turns[:index],
                consistent=_judgement(row.values.get("consistent")),
                tags={"bot": bot, "dialogue": str(number)},
            )
        statements.append(turn.text)


def talk(context: Any) -> tuple[Turn, ...]:
    """The turns of a dialogue written as lines `User: …` and `System: …`."""
    lines = context if isinstance(context, list) else text("context", context).splitlines()
    turns: list[Turn] = []
    for line in lines:
        name, colon, utterance = str(line).partition(":")
        speaker = _SPEAKERS.get(name.strip().lower()) if colon else None
        if speaker:
            turns.append(Turn(speaker, utterance.strip()))
        elif turns and str(line).strip():  # a turn of several lines
            last = turns.pop()
            turns.append(Turn(last.speaker, f"{last.text} {str(line).strip()}"))
    if not turns:
        raise DataError(
            "The row has no dialogue: its field 'context' needs lines User: and System:."
        )
    return tuple(turns)


def _judgement(value: Any) -> bool | None:
    """0 or 1; where several people judged, their majority; "N/A" is no judgement."""
    if isinstance(value, list):
        votes = [vote for vote in map(_judgement, value) if vote is not None]
        return 2 * sum(votes) > len(votes) if votes else None
    return {"1": True, "0": False, "1.0": True, "0.0": False, "True": True, "False": False}.get(
        str(value)
    )
