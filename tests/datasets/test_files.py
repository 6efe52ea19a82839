"""Files are streamed, and a bad row is one failure, never the end."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

from staytrue.datasets.files import Row, count, rows
from staytrue.errors import DataError
from staytrue.records import Failure

VALUES = [{"id": "1", "response": 'héllo, "world"'}, {"id": "2", "response": "two\nlines"}]


def written(folder: Path, name: str) -> Path:
    """The two values in the format that the name says."""
    path = folder / name
    plain = name.removesuffix(".gz")
    if plain.endswith(".jsonl"):
        body = "".join(json.dumps(v) + "\n" for v in VALUES).encode()
    elif plain.endswith(".json"):
        body = json.dumps(VALUES).encode()
    elif plain.endswith(".parquet"):
        arrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        buffer = io.BytesIO()
        parquet.write_table(arrow.Table.from_pylist(VALUES), buffer)
        body = buffer.getvalue()
    else:
        separator = "\t" if plain.endswith(".tsv") else ","
        cells = [["id", "response"], ["1", '"héllo, ""world"""'], ["2", '"two\nlines"']]
        body = "".join(separator.join(row) + "\n" for row in cells).encode()
    path.write_bytes(gzip.compress(body) if name.endswith(".gz") else body)
    return path


@pytest.mark.parametrize("zipped", ["", ".gz"])
@pytest.mark.parametrize("kind", ["jsonl", "json", "csv", "tsv", "parquet"])
def test_every_format_gives_the_same_rows(tmp_path: Path, kind: str, zipped: str) -> None:
    found = list(rows(str(written(tmp_path, f"data.{kind}{zipped}"))))
    assert [row.values for row in found if isinstance(row, Row)] == VALUES


def test_a_file_without_a_suffix_is_recognised_by_its_content(tmp_path: Path) -> None:
    for kind in ("jsonl", "csv", "tsv"):
        path = written(tmp_path, f"data.{kind}").rename(tmp_path / f"plain-{kind}")
        assert [r.values for r in rows(str(path)) if isinstance(r, Row)] == VALUES


def test_bad_lines_are_failures_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    deep = b"[" * 99_999 + b"\n"
    path.write_bytes(b'{"id": 1}\n{broken\n\n[1]\n\xff\xfe{"id": 2}\n{"id": 3}\n' + deep)
    found = list(rows(str(path)))
    assert [type(item) for item in found] == [Row, Failure, Failure, Failure, Row, Failure]
    wheres = [item.where for item in found]
    assert wheres == [f"{path}:{n}" for n in (1, 2, 4, 5, 6, 7)]


def test_a_table_row_of_the_wrong_width_is_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("id,response\n1,a\n2,b,c\n3\n4,d\n")
    found = list(rows(str(path)))
    assert [type(item) for item in found] == [Row, Failure, Failure, Row]
    assert isinstance(found[1], Failure)
    assert found[1].error == "The line has 3 fields, but the header has 2."


def test_a_latin_1_cell_is_a_failure_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes(b"id,response\n1,caf\xe9\n2,ok\n")
    found = list(rows(str(path)))
    assert isinstance(found[0], Failure)
    assert "UTF-8" in found[0].error
    assert isinstance(found[1], Row)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_are_understood(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "marked.jsonl"
    path.write_text('{"id": "é"}\n', encoding=encoding)
    assert [r.values for r in rows(str(path)) if isinstance(r, Row)] == [{"id": "é"}]


def test_a_field_of_a_megabyte_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("id,response\n1," + "x" * 2**20 + "\n")
    (row,) = rows(str(path))
    assert isinstance(row, Row)
    assert len(row.values["response"]) == 2**20


def test_a_cut_gzip_file_gives_its_rows_and_then_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl.gz"
    body = "".join(json.dumps({"id": n, "noise": hash(str(n))}) + "\n" for n in range(20000))
    path.write_bytes(gzip.compress(body.encode())[:-2000])
    found = list(rows(str(path)))
    assert len(found) > 1000
    assert isinstance(found[-1], Failure)


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no file"):
        list(rows(str(tmp_path / "none.jsonl")))
    with pytest.raises(DataError, match="is a folder"):
        list(rows(str(tmp_path)))


def test_rows_are_counted_for_the_progress_bar(tmp_path: Path) -> None:
    assert count(str(written(tmp_path, "data.jsonl.gz"))) == 2
    assert count("-") is None
