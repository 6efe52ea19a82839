"""Failures that are tried again: they wait beside the run, also through a kill, until it ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from staytrue.core.records import Failure, FailureKind, JsonDict, failure_from_json
from staytrue.runs.folder import ERRORS
from staytrue.runs.jsonl import read_rows, replace_file, to_line

WAITING = "errors.waiting.jsonl"
_FRAME_ROW = re.compile(r"row \d+")


def set_aside(folder: Path, chosen: Callable[[Failure], bool] = lambda failure: True) -> None:
    """Move the chosen failures aside, so that what they stopped counts as not done yet."""
    aside = folder / WAITING
    moved: list[JsonDict] = []
    kept: list[JsonDict] = []
    for row in read_rows(folder / ERRORS):
        (moved if chosen(failure_from_json(row)) else kept).append(row)
    if moved:
        replace_file(aside, _lines([*read_rows(aside), *moved]))
        replace_file(folder / ERRORS, _lines(kept))


def is_unread_row(failure: Failure, inputs: Sequence[str]) -> bool:
    """Whether this is a row of these inputs, or of a data frame, that could not be read."""
    if failure.kind is not FailureKind.ROW or failure.metric:
        return False
    # A data frame has no name: its rows are named by their number alone.
    return _lies_in(failure, inputs) or (not inputs and bool(_FRAME_ROW.fullmatch(failure.where)))


def not_tried_again(folder: Path, inputs: Sequence[str], *, everything_read: bool) -> list[Failure]:
    """The failures of earlier that this sitting did not meet, such as those of other inputs."""
    waiting = [failure_from_json(row) for row in read_rows(folder / WAITING)]
    return [
        failure
        for failure in waiting
        if failure.metric or not everything_read or not _was_read_again(failure, inputs)
    ]


def take_back(folder: Path) -> None:
    """Remove what waited, once it is stored again."""
    (folder / WAITING).unlink(missing_ok=True)


def _was_read_again(failure: Failure, inputs: Sequence[str]) -> bool:
    """Whether this sitting would have met the failure again."""
    if failure.kind is FailureKind.ROW:
        return is_unread_row(failure, inputs)
    return not inputs or failure.kind in (FailureKind.CHANGED, FailureKind.BOT)


def _lines(rows: Iterable[JsonDict]) -> bytes:
    """The rows as a file holds them, each once."""
    return "".join(dict.fromkeys(to_line(row) + "\n" for row in rows)).encode()


def _lies_in(failure: Failure, inputs: Sequence[str]) -> bool:
    """Whether the failure's place is in one of the inputs."""
    paths = {i for source in inputs for i in (source, source.partition(":")[2]) if i}
    paths |= {"standard input"} if "-" in paths else set()
    return any(failure.where == path or failure.where.startswith(f"{path}:") for path in paths)
