"""Sheets on which people judge inquiries, or the turns of natural talk, and their way back.

A sheet is blind: it names neither the bots nor what the metric said. Dialogues stay together and
come in random order. `seconds` is for the time that a row took, if someone measures it.
"""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from staytrue.annotation.blind_names import NO_KEY, blind
from staytrue.annotation.filled_sheets import read_rows
from staytrue.core.errors import DataError
from staytrue.core.records import Example, Turn
from staytrue.core.text import spreadsheet_plain, spreadsheet_safe, words
from staytrue.english.words import word_list

INQUIRY_FIELDS = ("appropriate", "relevant", "contradictory")
TALK_FIELDS = ("inconsistent",)
_FIXED = ("item", "dialogue", "talk", "utterance", "inquiry", "answer", "annotator", "seconds")
_YES, _NO = frozenset({"1", "yes", "y", "true", "x"}), frozenset({"0", "no", "n", "false"})


@dataclass(frozen=True, slots=True)
class ItemAnswers:
    """What one annotator said about one item."""

    item: str
    annotator: str
    answers: dict[str, bool | None]
    seconds: float | None


def dialogue_of(example: Example) -> str:
    """The dialogue that an example belongs to, bots and number together."""
    tags = example.tags
    names = [tags.get(key, "") for key in ("first", "second", "bot", "dialogue")]
    return " ".join(name for name in names if name)


def fit_to_judge(examples: Iterable[Example], fewest: int, *, abusive: bool) -> list[Example]:
    """Natural talk as AIH has it judged: dialogues of enough bot turns and without abusive words.

    An example is one turn of the bot; its history holds the earlier ones.
    """
    talks: dict[str, list[Example]] = {}
    for example in examples:
        talks.setdefault(dialogue_of(example) or example.id, []).append(example)
    return [
        example
        for talk in talks.values()
        if _bot_turns(talk) >= fewest and (abusive or not _is_abusive(talk))
        for example in talk
    ]


def _bot_turns(talk: Sequence[Example]) -> int:
    return max(sum(turn.speaker == "bot" for turn in one.history) for one in talk) + 1


def _is_abusive(talk: Sequence[Example]) -> bool:
    texts = {turn.text for one in talk for turn in one.history} | {one.response for one in talk}
    return any(word_list("abusive_words") & set(words(text)) for text in texts)


def drawn(examples: Iterable[Example], dialogues: int | None, seed: int) -> list[Example]:
    """The examples of so many dialogues for each pair of bots, in random order."""
    groups: dict[tuple[str, str, str], dict[str, list[Example]]] = {}
    for example in examples:
        tags = example.tags
        pair = (tags.get("first", ""), tags.get("second", ""), tags.get("bot", ""))
        groups.setdefault(pair, {}).setdefault(dialogue_of(example), []).append(example)
    chosen: list[list[Example]] = []
    for pair, talks in sorted(groups.items()):
        order = sorted(talks)
        random.Random(f"{seed}|{pair}").shuffle(order)
        chosen += [talks[name] for name in order[:dialogues]]
    random.Random(seed).shuffle(chosen)
    return [example for talk in chosen for example in talk]


def write_sheet(
    examples: Sequence[Example],
    path: Path,
    fields: Sequence[str],
    annotator: str = "",
    key: bytes = NO_KEY,
) -> int:
    """Write a CSV sheet with empty answers, safe to open in a spreadsheet."""
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*_FIXED, *fields])
        for example in examples:
            inquiry = fields == INQUIRY_FIELDS
            history = example.history[:-1] if inquiry else example.history
            cells = [
                blind(example.id, key),
                blind(dialogue_of(example), key),
                _written(history),
                example.knowledge if inquiry else example.response,
                example.probe.question if example.probe else "",
                example.response if inquiry else "",
                annotator,
                "",
                *("" for _ in fields),
            ]
            writer.writerow([spreadsheet_safe(cell) for cell in cells])
    return len(examples)


def _written(history: Sequence[Turn]) -> str:
    return "\n".join(f"{'bot' if t.speaker == 'bot' else 'partner'}: {t.text}" for t in history)


def read_sheet(path: Path, fields: Sequence[str]) -> Iterator[ItemAnswers]:
    """The answers of a sheet; rows without any are left out, an annotator defaults to the file."""
    header, rows = read_rows(path)
    missing = [name for name in ("item", *fields) if name not in header]
    if missing:
        raise DataError(
            f"{path} has no column '{missing[0]}': use a sheet that this command wrote."
        )
    for line, row in enumerate(rows, start=2):
        answers = {name: _answer(row[name], f"{path}:{line}", name) for name in fields}
        if any(answer is not None for answer in answers.values()):
            annotator = (row.get("annotator") or "").strip() or path.stem
            seconds = _seconds(row.get("seconds"), f"{path}:{line}")
            yield ItemAnswers(spreadsheet_plain(row["item"].strip()), annotator, answers, seconds)


def _answer(cell: str | None, where: str, field: str) -> bool | None:
    value = (cell or "").strip().lower()
    if not value:
        return None
    if value in _YES or value in _NO:
        return value in _YES
    raise DataError(f"{where}: '{value}' is not an answer to {field}; write yes or no.")


def _seconds(cell: str | None, where: str) -> float | None:
    value = (cell or "").strip()
    if not value:
        return None
    try:
        seconds = float(value.replace(",", "."))
    except ValueError:
        seconds = math.nan
    if not math.isfinite(seconds) or seconds < 0:
        raise DataError(f"{where}: '{value}' is not a number of seconds; write one or none.")
    return seconds
