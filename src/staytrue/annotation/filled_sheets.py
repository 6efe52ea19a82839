"""The sheets that people fill in, read back from what their spreadsheet program saved."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from staytrue.core.errors import DataError

Row = dict[str | Any, str | Any]
Answered = TypeVar("Answered")
# The csv module's own limit, 131,072, is below what a document may have.
_LONGEST_CELL = 2**31 - 1


def read_rows(path: Path) -> tuple[list[str], list[Row]]:
    """The column names and the rows of a filled-in CSV sheet; the first row is line 2."""
    if not path.is_file():
        raise DataError(f"There is no sheet {path}: name the CSV files that were filled in.")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:  # also UTF-16 without a mark, which decodes but means nothing
        raise DataError(f"{path} is not UTF-8: save it again as 'CSV UTF-8' in the spreadsheet.")
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=_separator(text))
    return list(reader.fieldnames or []), list(reader)


def _separator(text: str) -> str:
    """A semicolon where spreadsheets keep the comma for decimals; tabs in their "Unicode text"."""
    header = text.splitlines()[:1]
    return max(",;\t", key=lambda mark: len(next(csv.reader(header, delimiter=mark), ())))


def each_once(
    rows: Iterable[Answered], who_and_what: Callable[[Answered], tuple[str, Hashable]]
) -> Iterator[Answered]:
    """The rows, unless an annotator answers an item twice: that would count as agreement."""
    seen = set()
    for row in rows:
        name = who_and_what(row)
        if name in seen:
            raise DataError(
                f"'{name[0]}' judges an item twice: name each sheet once, and give every annotator "
                "a file name or a name in the column 'annotator' of their own."
            )
        seen.add(name)
        yield row
