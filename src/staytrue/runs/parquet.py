"""Results as partitioned Parquet: RUN/verdicts/ and RUN/examples/ in place of the two JSONL files.

A run grows as JSONL, which survives a kill; a sitting that ends well turns what it wrote into
Parquet. The steps are ordered so that a kill loses nothing and doubles nothing:

1. verdicts.jsonl is renamed to verdicts.0000.jsonl, or the next free number;
2. its rows are written to a folder aside, which is then renamed to verdicts/0000;
3. verdicts.0000.jsonl is removed.

So a numbered JSONL file and the folder of its number hold the same rows, and one of them is read.
The columns are the keys of the JSONL rows; a list or an object is stored as JSON text.
"""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from staytrue.core.errors import MissingExtra, RunError
from staytrue.core.records import Example, JsonDict, Verdict
from staytrue.runs.jsonl import OTHER_SHAPE, read_rows, records_in, to_line

Record = TypeVar("Record")
# Rows and text of a file: few enough for memory to stay flat, enough for columns to compress.
PART_ROWS = 20_000
PART_CHARACTERS = 64_000_000
_READ_AT_ONCE = 1000
_TYPES = {"str": "string", "str | None": "string", "bool | None": "bool", "float | None": "double"}
_RECORDS: dict[str, type] = {"examples.jsonl": Example, "verdicts.jsonl": Verdict}


def check_installed() -> None:
    """Say how to install pyarrow, where it is not."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise MissingExtra("--format parquet", "parquet") from None


def pack(folder: Path) -> None:
    """Turn the rows that the run holds as JSONL into Parquet, beside those that are already.

    Rows that Parquet cannot hold, such as half a surrogate pair, leave their file as it is.
    """
    for name in _RECORDS:
        log = folder / name
        if log.exists() and log.stat().st_size:
            parts = folder / log.stem
            parts.mkdir(exist_ok=True)
            log.rename(_numbered_file(log, max(_numbers(log), default=-1) + 1))
        log.unlink(missing_ok=True)  # an empty one
        for numbered in _numbered(log):
            _pack_one(numbered, _packed(numbered), _RECORDS[name])


def read_all(log: Path, make: Callable[[JsonDict], Record]) -> Iterator[Record]:
    """What `make` finds in each row of a run's file, also while another process packs it."""
    last = -1
    while True:
        for last in sorted(number for number in _numbers(log) if number > last):
            yield from _read_part(log, last, make)
        with _opened(log) or io.BytesIO() as lines:
            # With no new number, the opened file is not one that was renamed before.
            if all(number <= last for number in _numbers(log)):
                yield from records_in(lines, log, make)
                return


def exist(log: Path) -> bool:
    """Whether the run has any rows of this file."""
    return log.exists() or bool(_numbers(log))


def _opened(path: Path) -> BinaryIO | None:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return None


def _packed(numbered: Path) -> Path:
    """The folder that a numbered file becomes."""
    stem, number, _ = numbered.name.split(".")
    return numbered.parent / stem / number


def _numbered_file(log: Path, number: int) -> Path:
    return log.with_name(f"{log.stem}.{number:04d}.jsonl")


def _numbered(log: Path) -> list[Path]:
    return sorted(log.parent.glob(f"{log.stem}.[0-9]*.jsonl"))


def _numbers(log: Path) -> set[int]:
    # Files come first: one that is packed between the two listings is found as a folder.
    files = [path.name.split(".")[1] for path in _numbered(log)]
    folders = [path.name for path in (log.parent / log.stem).glob("[0-9]*")]
    return {int(number) for number in [*files, *folders] if number.isdigit()}


def _pack_one(numbered: Path, target: Path, record: type) -> None:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    if not target.is_dir():
        aside = target.with_name(f".{target.name}.writing")
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        schema, coded = _schema(record), _json_fields(record)
        flat = (_flat(row, schema.names, coded) for row in read_rows(numbered))
        try:
            for number, rows in enumerate(_parts(flat)):
                table = arrow.Table.from_pylist(rows, schema)
                path = aside / f"{number:05d}.parquet"
                parquet.write_table(table, path, compression="zstd")
                _sync(path)
            _sync(aside)
        except (arrow.ArrowException, UnicodeEncodeError, _Lossy):
            shutil.rmtree(aside, ignore_errors=True)
            return
        except OSError as error:
            shutil.rmtree(aside, ignore_errors=True)
            raise RunError(
                f"Writing Parquet failed ({error}): the run is complete as JSONL; "
                "make room and run the same command again."
            ) from None
        aside.rename(target)
    _sync(target.parent)
    _sync(numbered.parent)
    numbered.unlink()


def _parts(rows: Iterable[JsonDict]) -> Iterator[list[JsonDict]]:
    """The rows of each file."""
    part: list[JsonDict] = []
    characters = 0
    for row in rows:
        part.append(row)
        characters += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(part) >= PART_ROWS or characters >= PART_CHARACTERS:
            yield part
            part, characters = [], 0
    if part:
        yield part


def _sync(path: Path) -> None:
    """Return when the file, or the names in the folder, are on the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _schema(record: type) -> Any:
    """One column per field; what is neither text, number nor truth value is JSON text."""
    import pyarrow as arrow

    types = {one.name: _TYPES.get(str(one.type), "string") for one in fields(record)}
    return arrow.schema({name: arrow.type_for_alias(kind) for name, kind in types.items()})


def _json_fields(record: type) -> set[str]:
    return {one.name for one in fields(record) if str(one.type) not in _TYPES}


class _Lossy(Exception):
    """A row that would come back as another."""


def _flat(row: JsonDict, columns: Sequence[str], coded: set[str]) -> JsonDict:
    # A whole rating would come back with a point, and its example would count as changed.
    if row.keys() - set(columns) or type(row.get("rating")) is int:
        raise _Lossy
    return {name: to_line(value) if name in coded else value for name, value in row.items()}


def _read_part(log: Path, number: int, make: Callable[[JsonDict], Record]) -> Iterator[Record]:
    numbered = _numbered_file(log, number)
    lines = _opened(numbered)
    if lines is None:
        yield from _read_folder(_packed(numbered), _RECORDS[log.name], make)
    else:
        with lines:
            yield from records_in(lines, numbered, make)


def _read_folder(
    folder: Path, record: type, make: Callable[[JsonDict], Record]
) -> Iterator[Record]:
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise MissingExtra(f"Reading {folder}", "parquet") from None
    coded = _json_fields(record)
    required = {f.name for f in fields(record) if f.default is f.default_factory is MISSING}
    if record is Verdict:
        required.add("score")  # None is a score: the metric abstained
    for path in sorted(folder.glob("*.parquet")):
        try:
            with parquet.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=_READ_AT_ONCE):
                    for row in batch.to_pylist():
                        yield make(_full(row, coded, required))
        except (OSError, arrow.ArrowException, *OTHER_SHAPE) as error:
            if isinstance(error, OSError) and error.errno:  # the system's; pyarrow's has no number
                raise
            raise RunError(f"{path} is damaged: restore it from a copy.") from None


def _full(row: JsonDict, coded: set[str], required: set[str]) -> JsonDict:
    """The row as JSONL has it: a field that has its default is left out."""
    present = {n: v for n, v in row.items() if v is not None or n in required}
    return {n: json.loads(v) if n in coded else v for n, v in present.items()}
