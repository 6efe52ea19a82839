"""Stream the rows of JSONL, JSON, CSV, TSV and Parquet files, gzipped or not, or standard input.

Logs of Inspect, which are zip archives, are read sample by sample. A row that does not parse
becomes a `Failure` with its file and line; the rest goes on. Memory does not grow with the file,
except for `.json` files that hold one big list.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from staytrue.core.errors import DataError, MissingExtra, one_line
from staytrue.core.records import Example, Failure
from staytrue.core.text import counted

_SUFFIXES = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "tsv",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
# Large samples of Inspect may be stored in parts, in a folder of their own.
_IN_PARTS = "/sample.json"
_SAMPLE = re.compile(rf"samples/(?:(?!.*_epoch_\d+/).*\.json|.*_epoch_\d+{_IN_PARTS})")
_LONGEST_FIELD = 2**31 - 1  # the csv module's own limit, 131,072, is below what people have
_TEN_MIB = 10 * 2**20
_BLOCK = 2**18
_DAMAGED = (
    EOFError,
    OSError,
    zlib.error,
    BadZipFile,
)  # what reading a cut or overwritten file raises


class _TooLarge(Exception):
    """A file or line beyond the limits."""


@dataclass(frozen=True, slots=True)
class FileLimits:
    """How much of a file is read, so that a hostile one cannot take all memory."""

    line: int
    """Characters of a line."""
    expanded: int
    """Bytes of a gzipped file or an archive when it is unpacked."""
    whole: int
    """Characters of a JSON list, or of a sample in an archive, which is read at once."""


def _limit(name: str, megabytes: int) -> int:
    setting = os.environ.get(name, "")
    return (int(setting) if setting.isdigit() and int(setting) else megabytes) * 2**20


def limits() -> FileLimits:
    """The limits in force; the command's options set these variables, worker processes inherit."""
    return FileLimits(
        _limit("STAYTRUE_MAX_LINE_MB", 64), _limit("STAYTRUE_MAX_EXPANDED_MB", 8_192),
        _limit("STAYTRUE_MAX_JSON_MB", 512),
    )  # fmt: skip


def _more(option: str) -> str:
    name = f"max-{option}-mb"
    variable = f"STAYTRUE_{name.upper().replace('-', '_')}"
    return f"allow more with  staytrue --{name} N …  or {variable}=N."


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a file, as it stands there."""

    where: str
    """File and line, or file and row number."""
    values: Mapping[str, Any]


def rows(path: str) -> Iterator[Row | Failure]:
    """Rows of the file at `path`, or of standard input when it is `-`."""
    name = "standard input" if path == "-" else path
    with _open(path) as raw:
        try:
            yield from _rows(path, name, raw)
        except _TooLarge as error:
            yield Failure(name, str(error))
        except _DAMAGED as error:
            yield Failure(name, f"The file is damaged or truncated: {error}.")


def _rows(path: str, name: str, raw: io.FileIO) -> Iterator[Row | Failure]:
    stream = _unzipped(io.BufferedReader(raw, _TEN_MIB))
    kind = _format(path, stream)
    if kind == "parquet":
        yield from _parquet(name, stream)
    elif kind == "json":
        yield from _json(name, stream)
    elif kind == "jsonl":
        yield from _jsonl(name, stream)
    elif kind == "zip":
        yield from _samples(name, _seekable(stream))
    else:
        yield from _delimited(name, stream, "\t" if kind == "tsv" else _separator(stream))


def convert(path: str, make: Callable[[Row], Iterable[Example]]) -> Iterator[Example | Failure]:
    """The examples that `make` finds in each row; a `DataError` of its becomes a failure."""
    for row in rows(path):
        if isinstance(row, Failure):
            yield row
            continue
        try:
            yield from make(row)
        except DataError as error:
            yield Failure(row.where, str(error))


def count(path: str) -> int | None:
    """About how many rows the file has, read fast, for a progress bar; None where that is slow."""
    # A pipe can be read only once, and an address would be downloaded twice.
    if path == "-" or not Path(path).is_file():
        return None
    with _open(path) as raw, contextlib.suppress(*_DAMAGED, _TooLarge, ImportError):
        plain = io.BufferedReader(raw, _TEN_MIB)
        stream = _unzipped(plain)
        kind = _format(path, stream)
        if kind == "zip":
            return None
        if kind == "parquet":
            return _rows_of_parquet(stream) if stream is plain else None
        if kind == "json":
            # Nothing but a parse counts the items of a list: of a large one that takes as long as
            # reading it.
            small = stream is plain and Path(path).stat().st_size <= _TEN_MIB
            return sum(1 for _ in rows(path)) if small else None
        return sum(block.count(b"\n") for block in iter(lambda: stream.read(2**20), b""))
    return None


def _rows_of_parquet(stream: io.BufferedReader) -> int | None:
    """What the end of the file says; only a gzipped one would have to be unpacked for it."""
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    with contextlib.suppress(arrow.ArrowInvalid):
        return int(parquet.ParquetFile(stream).metadata.num_rows)
    return None


def _open(path: str) -> Any:
    if path == "-":
        return io.FileIO(sys.stdin.fileno(), closefd=False)
    if "://" in path:
        return _open_address(path)
    try:
        return io.FileIO(path)
    except FileNotFoundError:
        raise DataError(f"There is no file {path}: check the path.") from None
    except IsADirectoryError:
        raise DataError(f"{path} is a folder: name a file in it.") from None
    except OSError as error:
        raise DataError(f"{path} cannot be opened: {error.strerror}.") from None


def _open_address(address: str) -> Any:
    """A file of an object store, such as s3://BUCKET/FILE, gs://… or hdfs://…"""
    try:
        import pyarrow as arrow
        from pyarrow import fs
    except ImportError:
        raise MissingExtra(f"Reading {address}", "parquet") from None
    try:
        store, path = fs.FileSystem.from_uri(address)
        return store.open_input_file(path)
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError):  # not one of pyarrow's schemes
        return _open_by_fsspec(address)
    except (OSError, arrow.ArrowException) as error:
        raise _unopened(address, error) from None


def _open_by_fsspec(address: str) -> Any:
    """A file of any other store, such as az://CONTAINER/FILE; a scheme may need a package more."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise DataError(
            f"Reading {address} needs fsspec: run  pip install fsspec  first."
        ) from None
    try:
        store, path = url_to_fs(address)
        return store.open(path, "rb")
    except Exception as error:  # each scheme's package has errors of its own
        raise _unopened(address, error) from None


def _unopened(address: str, error: Exception) -> DataError:
    return DataError(
        f"{address} cannot be opened ({one_line(str(error), 200)}): check the address and "
        "the credentials in the environment."
    )


class _Expanded(io.RawIOBase):
    """What a gzip file holds, up to the limit: 290 KB may expand to gigabytes."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._inside = gzip.GzipFile(fileobj=stream)
        self._most = limits().expanded
        self._left = self._most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = self._inside.read(min(len(buffer), _BLOCK))
        self._left -= len(block)
        if self._left < 0:
            raise _expands(self._most)
        buffer[: len(block)] = block
        return len(block)


def _expands(most: int) -> _TooLarge:
    return _TooLarge(
        f"The file expands to more than {most // 2**20:,} MB: unpack it to "
        f"check it, or {_more('expanded')}"
    )


def _unzipped(stream: io.BufferedReader) -> io.BufferedReader:
    if stream.peek(2)[:2] != b"\x1f\x8b":
        return stream
    return io.BufferedReader(_Expanded(stream), _BLOCK)


def _format(path: str, stream: io.BufferedReader) -> str:
    suffixes = [s.lower() for s in Path(path).suffixes if s.lower() != ".gz"]
    kind = _SUFFIXES.get(suffixes[-1]) if suffixes else None
    head = stream.peek(4096)
    zipped = head[:4] == b"PK\x03\x04"
    if head[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" or (zipped and ".xl" in "".join(suffixes)):
        raise _excel(path)
    if zipped:
        return "zip"
    if _encoding(stream) == "utf-16":
        head = head[: len(head) // 2 * 2].decode("utf-16", "ignore").encode()
    if head[:4] == b"PAR1":
        return "parquet"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if kind in ("json", "jsonl") or (kind is None and start in (b"{", b"[")):
        return "json" if start == b"[" or (kind == "json" and start == b"{") else "jsonl"
    if kind:
        return kind
    return "tsv" if b"\t" in head.split(b"\n", 1)[0] else "csv"


def _excel(name: str) -> DataError:
    return DataError(f"{name} is an Excel file: save it as 'CSV UTF-8' and read that.")


def _separator(stream: io.BufferedReader) -> str:
    """What parts the cells of a CSV file; where a comma is for decimals, it is a semicolon.

    A spreadsheet's "Unicode text" has tabs, whatever its name ends in.
    """
    header = stream.peek(4096).split(b"\n", 1)[0]
    return max(",;\t", key=lambda separator: header.count(separator.encode()))


def _encoding(stream: io.BufferedReader) -> str:
    return "utf-16" if stream.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def _lines(stream: io.BufferedReader) -> Iterator[str]:
    # Bytes that do not decode come through as lone surrogates, so that one bad line is one
    # failure and not the end of the file.
    text = io.TextIOWrapper(
        stream, encoding=_encoding(stream), errors="surrogateescape", newline=""
    )
    longest = limits().line
    while line := text.readline(longest):
        if len(line) == longest:
            raise _TooLarge(
                f"A line is longer than {longest // 2**20:,} million characters: split it, or "
                f"{_more('line')}"
            )
        yield line


def undecodable(text: str) -> bool:
    """Whether the text holds bytes that were not valid in the file's encoding."""
    return any("\udc80" <= character <= "\udcff" for character in text)


def _jsonl(name: str, stream: io.BufferedReader) -> Iterator[Row | Failure]:
    number = 0
    try:
        for number, line in enumerate(_lines(stream), 1):
            if line.strip():
                yield _parsed(f"{name}:{number}", line)
    except _DAMAGED as error:
        yield Failure(f"{name}:{number + 1}", f"The file is truncated here: {error}.")


def _parsed(where: str, line: str) -> Row | Failure:
    if undecodable(line):
        return Failure(where, "The line is not UTF-8 text: save the file as UTF-8.")
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Failure(where, f"The line is not valid JSON: {error}.")
    if not isinstance(value, dict):
        return Failure(where, "The line is not a JSON object: write one {…} per line.")
    return Row(where, value)


def _json(name: str, stream: io.BufferedReader) -> Iterator[Row | Failure]:
    """One JSON list; or, as some published `.json` files are, one object per line."""
    text = _bounded_text(stream)
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        yield from _jsonl(
            name, io.BufferedReader(io.BytesIO(text.encode("utf-8", "surrogateescape")))
        )
        return
    for number, value in enumerate(values if isinstance(values, list) else [values], 1):
        where = f"{name}: item {number}"
        if not isinstance(value, dict):
            yield Failure(where, "The item is not a JSON object.")
        elif undecodable(json.dumps(value, ensure_ascii=False)):
            yield Failure(where, "The item is not UTF-8 text: save the file as UTF-8.")
        else:
            yield Row(where, value)


def _bounded_text(stream: io.BufferedReader) -> str:
    """All of a file that must be in memory at once."""
    most = limits().whole
    lines, size = [], 0
    for line in _lines(stream):
        size += len(line)
        if size > most:
            raise _TooLarge(
                f"A JSON list of more than {most // 2**20:,} MB does not fit in memory: "
                f"write one object per line (JSONL), or {_more('json')}"
            )
        lines.append(line)
    return "".join(lines)


def _delimited(name: str, stream: io.BufferedReader, separator: str) -> Iterator[Row | Failure]:
    csv.field_size_limit(min(limits().line, _LONGEST_FIELD))
    # Strict, or a quote that is never closed would swallow the rest of the file unseen.
    reader = csv.reader(_lines(stream), delimiter=separator, strict=True)
    header: list[str] | None = None
    while True:
        first = reader.line_num + 1
        where = f"{name}:{first}"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            last = reader.line_num
            lines = "The line does" if last <= first else f"The lines {first} to {last} do"
            yield Failure(
                where,
                f"{lines} not parse: {error}. A cell that starts with a quote must end with one, "
                "and quotes within it are doubled.",
            )
            continue
        except _DAMAGED as error:
            yield Failure(where, f"The file is truncated here: {error}.")
            return
        if not cells:
            continue
        if header is None:
            header = [cell.strip() for cell in cells]
        elif any(undecodable(cell) for cell in cells):
            yield Failure(where, "The line is not UTF-8 text: save the file as UTF-8.")
        elif len(cells) != len(header):
            yield Failure(
                where,
                f"The line has {counted(len(cells), 'field')}, but the header has {len(header)}.",
            )
        else:
            yield Row(where, dict(zip(header, cells, strict=True)))


def _samples(name: str, stream: io.BufferedReader | io.BytesIO) -> Iterator[Row | Failure]:
    """Each sample of an Inspect log, as a log in JSON that holds it alone."""
    with ZipFile(stream) as archive:
        members = archive.infolist()
        names = [member.filename for member in members]
        if any(one.startswith("xl/") for one in names):
            raise _excel(name)
        samples = [member for member in members if _SAMPLE.fullmatch(member.filename)]
        if not samples:
            raise DataError(
                f"{name} is an Inspect log without samples: run the evaluation again."
                if "header.json" in names
                else f"{name} is a zip archive: unpack it, and read the files in it."
            )
        # No more than these sizes is ever read: a member that holds more than it says is cut.
        if sum(member.file_size for member in samples) > (most := limits().expanded):
            raise _expands(most)
        for member in samples:
            row = _sample(name, archive, member)
            if isinstance(row, Row):
                row = Row(row.where, {"eval": {}, "samples": [row.values]})
            yield row


def _sample(name: str, archive: ZipFile, member: ZipInfo) -> Row | Failure:
    where = f"{name}: {member.filename}"
    convert = f"run  inspect log convert {name} --to json --output-dir FOLDER  and read its file."
    if member.filename.endswith(_IN_PARTS):
        return Failure(where, f"The sample is stored in parts: {convert}")
    try:
        with archive.open(member) as content:
            # What `open` gives has `readinto`; its type does not say so.
            text = _bounded_text(io.BufferedReader(content))  # type: ignore[arg-type]
            return _parsed(where, text)
    except _TooLarge as error:
        return Failure(where, str(error))
    except _DAMAGED as error:
        return Failure(where, f"The sample is damaged: {error}.")
    except RuntimeError:  # a compression that this Python does not know, or a password
        raise DataError(
            f"{name} is compressed in a way that this Python cannot read: {convert}"
        ) from None


def _seekable(stream: io.BufferedReader) -> io.BufferedReader | io.BytesIO:
    return stream if stream.seekable() else io.BytesIO(stream.read(limits().whole))


def _parquet(name: str, stream: io.BufferedReader) -> Iterator[Row | Failure]:
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise MissingExtra("Reading Parquet", "parquet") from None
    number = 0
    try:
        for batch in parquet.ParquetFile(_seekable(stream)).iter_batches(batch_size=256):
            for values in batch.to_pylist():
                number += 1
                yield Row(f"{name}: row {number}", values)
    except arrow.ArrowInvalid as error:
        yield Failure(f"{name}: row {number + 1}", f"The Parquet file is damaged: {error}.")
