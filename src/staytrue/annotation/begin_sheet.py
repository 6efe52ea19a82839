"""Sheets for annotators, one row per sentence, and the answers read back from them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from staytrue.annotation.begin_rule import QUESTIONS, Answers, read_answer
from staytrue.annotation.filled_sheets import read_rows
from staytrue.core.errors import DataError
from staytrue.core.records import Example
from staytrue.core.text import spreadsheet_plain as _plain
from staytrue.core.text import spreadsheet_safe
from staytrue.english.sentences import sentence_spans

FIXED = ("id", "sentence number", "document", "previous turn", "response", "sentence", "annotator")


@dataclass(frozen=True, slots=True)
class Rated:
    """What one annotator answered about one sentence of a response."""

    example_id: str
    number: int
    """Place of the sentence in the response, from 1."""
    sentence: str
    annotator: str
    answers: Answers


def write_sheet(examples: Iterable[Example], path: Path, annotator: str = "") -> int:
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
                cells = [example.id, number, *texts, annotator, *("" for _ in QUESTIONS)]
                writer.writerow([spreadsheet_safe(cell) for cell in cells])
                rows += 1
    return rows


def read_sheet(path: Path) -> Iterator[Rated]:
    """The answers of a sheet, rows without answers left out; annotator defaults to the file's name.

    A column is found by the number its question starts with, so that the wording may be changed.
    """
    header, rows = read_rows(path)
    columns = _columns(header, path)
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
            yield Rated(_plain(row["id"] or ""), number, sentence, who, answers)


def _columns(header: Iterable[str], path: Path) -> dict[str, str]:
    names = list(header)
    found = {}
    for field, question in QUESTIONS.items():
        number = question.split()[0]
        column = next((n for n in names if n.split()[:1] in ([number], [field])), None)
        if column is None:
            raise DataError(
                f"{path} has no column for question {number} make the sheet with "
                "staytrue questionnaire sheet."
            )
        found[field] = column
    for fixed in ("id", "sentence number"):
        if fixed not in names:
            raise DataError(f"{path} has no column '{fixed}': do not rename or remove it.")
    return found
