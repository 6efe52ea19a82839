"""A text file with one row per line: id | response | knowledge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from staytrue import Example
from staytrue.core.records import Failure


def read(path: str) -> Iterator[Example | Failure]:
    """The examples of a file; a line of another shape is a Failure, and the rest goes on."""
    for number, line in enumerate(Path(path).read_text("utf-8").splitlines(), 1):
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 3:
            yield Example(*cells)
        else:
            yield Failure(f"{path}:{number}", "The line needs three cells: id | response | fact.")
