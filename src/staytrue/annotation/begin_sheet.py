"""Sheets for BEGIN's annotators, one row per sentence, and the answers read back from them.

A sheet is blind: it names responses by hashes, not by ids. Sheets of version 0.1.0 have ids.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from staytrue.annotation.begin_rule import QUESTIONS, Answers, read_answer
from staytrue.annotation.blind_names import blind, examples_by_item
from staytrue.annotation.filled_sheets import read_rows
from staytrue.core.errors import DataError
from staytrue.core.records import Example
from staytrue.core.text import spreadsheet_plain as _plain
from staytrue.core.text import spreadsheet_safe
from staytrue.english.words import sentence_spans

FIXED = (
    "item",
    "sentence number",
    "document",
    "previous turn",
    "response",
    "sentence",
    "annotator",
)


@dataclass(frozen=True, slots=True)
class Rated:
    """What one annotator answered about one sentence of a response."""

    example_id: str
    """The example's id; as long as the row is blind, its name on the sheet."""
    number: int
    """Place of the sentence in the response, from 1."""
    sentence: str
    annotator: str
    answers: Answers
    blind: bool = False


def write_sheet(examples: Iterable[Example], path: Path, key: bytes, annotator: str = "") -> int:
    """Write a CSV sheet with empty answer columns; returns how many sentences it asks about."""
    rows = 0
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*FIXED, *QUESTIONS.values()])
        for example in examples:
            spans = sentence_spans(example.response) or [(0, len(example.response))]
            parts = [example.response[start:end] for start, end in spans]
            for number, sentence in enumerate(parts, start=1):
                texts = (example.knowledge, example.message, example.response, sentence)
                cells = [
                    blind(example.id, key),
                    number,
                    *texts,
                    annotator,
                    *("" for _ in QUESTIONS),
                ]
                writer.writerow([spreadsheet_safe(cell) for cell in cells])
                rows += 1
    return rows


def read_sheet(path: Path) -> Iterator[Rated]:
    """The answers of a sheet, rows without answers left out; annotator defaults to the file's name.

    A column is found by the number its question starts with, so that the wording may be changed.
    """
    header, rows = read_rows(path)
    columns = _columns(header, path)
    is_blind = "item" in header
    name = "item" if is_blind else "id"
    for line, row in enumerate(rows, start=2):
        try:
            answers = Answers(
                **{f: read_answer(f, row.get(column) or "") for f, column in columns.items()}  # type: ignore[arg-type]
            )
            number = int(row["sentence number"] or 1)
        except (DataError, ValueError) as error:
            raise DataError(f"{path}, line {line}: {error}") from None
        if answers.given:
            who = _plain(row.get("annotator") or "") or path.stem
            sentence = _plain(row.get("sentence") or "")
            yield Rated(_plain(row[name] or ""), number, sentence, who, answers, is_blind)


def unblinded(
    rated: Iterable[Rated], examples: Iterable[Example], keys: Collection[bytes]
) -> list[Rated]:
    """The rows with the ids of their examples, whose sheets were written under one of the keys."""
    rows = list(rated)
    known = examples_by_item({row.example_id for row in rows if row.blind}, examples, keys)
    return [
        replace(row, example_id=known[row.example_id].id, blind=False) if row.blind else row
        for row in rows
    ]


def _columns(header: Iterable[str], path: Path) -> dict[str, str]:
    names = list(header)
    columns = {}
    for field, question in QUESTIONS.items():
        number = question.split()[0]
        column = next((n for n in names if n.split()[:1] in ([number], [field])), None)
        if column is None:
            raise DataError(
                f"{path} has no column for question {number.rstrip('.')}: write the sheet with "
                "staytrue questionnaire sheet."
            )
        columns[field] = column
    for fixed in ("item", "sentence number"):
        if fixed not in names and not (fixed == "item" and "id" in names):
            raise DataError(f"{path} has no column '{fixed}': do not rename or remove it.")
    return columns
