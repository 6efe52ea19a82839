"""Append-only files with one JSON object per line, which survive a kill and a full disk.

A kill leaves at most half a line at the end of a file; opening it again cuts that off.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from staytrue.core.errors import RunError
from staytrue.core.records import JsonDict

Record = TypeVar("Record")
# What making a record of a line of another shape raises.
OTHER_SHAPE = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


class AppendedFile:
    """A file to append rows to; whoever appends knows that the rows are on the disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        _cut_half_line(path)
        self._file = path.open("ab")

    def append(self, rows: Sequence[JsonDict]) -> None:
        """Write the rows and return when they are on the disk."""
        if not rows:
            return
        try:
            self._file.write("".join(to_line(row) + "\n" for row in rows).encode())
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            what = "The disk is full" if error.errno == errno.ENOSPC else f"Writing failed: {error}"
            raise RunError(
                f"{what}: what was written before is kept; "
                "make room and run the same command again."
            ) from None

    def close(self) -> None:
        """Close the file; on a full disk even that may fail, and what was flushed is safe."""
        with contextlib.suppress(OSError):
            self._file.close()


def to_line(row: JsonDict) -> str:
    """The row as JSON on one line."""
    text = json.dumps(row, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can hold
        return json.dumps(row, allow_nan=False)
    return text


def read_rows(path: Path) -> Iterator[JsonDict]:
    """The rows of a file, streamed; none if there is no file, and half a last line is left out."""
    return read_records(path, _row)


def read_records(path: Path, make: Callable[[JsonDict], Record]) -> Iterator[Record]:
    """What `make` finds in each row; a line of another shape is named in one sentence."""
    if path.exists():
        with path.open("rb") as lines:
            yield from records_in(lines, path, make)


def records_in(
    lines: Iterable[bytes], path: Path, make: Callable[[JsonDict], Record]
) -> Iterator[Record]:
    """What `make` finds in each row of the opened file."""
    for number, line in enumerate(lines, 1):
        if not line.endswith(b"\n"):
            return  # half a line, from a kill
        try:
            yield make(json.loads(line, parse_constant=_refused))
        except OTHER_SHAPE:
            message = f"{path}:{number} is damaged: remove that line and run again."
            raise RunError(message) from None


def _row(value: JsonDict) -> JsonDict:
    if not isinstance(value, dict):
        raise TypeError
    return value


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is not a number")  # NaN and infinities, which we never write


def replace_file(path: Path, content: bytes) -> None:
    """Put the content in place of the file's, so that a kill leaves the old or the new one."""
    aside = path.with_name(path.name + ".writing")
    # What a kill left, or somebody put there: a link must not lead the writing elsewhere.
    aside.unlink(missing_ok=True)
    with aside.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


def _cut_half_line(path: Path) -> None:
    if not path.exists():
        return
    with path.open("rb+") as file:
        end = file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - 2**16)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                file.truncate(start + newline + 1)
                return
            end = start
        file.truncate(0)
