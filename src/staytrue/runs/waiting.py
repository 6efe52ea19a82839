"""Failures that are tried again: they wait beside the run, also through a kill, until it ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from staytrue.core.records import Failure, FailureKind, failure_from_json
from staytrue.runs.folder import ERRORS
from staytrue.runs.jsonl import read_rows, replace_file, to_line

WAITING = "errors.waiting.jsonl"


def set_aside(folder: Path) -> None:
    """Move the stored failures aside, so that what they stopped counts as not done yet."""
    aside = folder / WAITING
    rows = (row for path in (aside, folder / ERRORS) for row in read_rows(path))
    lines = dict.fromkeys(to_line(row) + "\n" for row in rows)
    replace_file(aside, "".join(lines).encode())
    replace_file(folder / ERRORS, b"")


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
    """Whether the place of a row that could not be read is in an input of this sitting."""
    paths = {i for source in inputs for i in (source, source.partition(":")[2]) if i}
    paths |= {"standard input"} if "-" in paths else set()
    here = any(failure.where == path or failure.where.startswith(f"{path}:") for path in paths)
    return here or not paths or failure.kind is FailureKind.CHANGED
