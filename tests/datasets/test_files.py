"""Files are streamed, and a bad row is one failure, never the end."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from staytrue.core.errors import DataError
from staytrue.core.records import Failure
from staytrue.datasets import files
from staytrue.datasets.files import Row, count, rows

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
    items = list(rows(str(written(tmp_path, f"data.{kind}{zipped}"))))
    assert [row.values for row in items if isinstance(row, Row)] == VALUES


@pytest.mark.parametrize("name", ["data.jsonl", "data.csv.gz", "data.parquet"])
def test_an_address_of_an_object_store_is_read_as_a_path_is(tmp_path: Path, name: str) -> None:
    pytest.importorskip("pyarrow")
    items = list(rows(written(tmp_path, name).as_uri()))
    assert [row.values for row in items if isinstance(row, Row)] == VALUES


@pytest.mark.parametrize("name", ["data.jsonl", "data.csv.gz", "data.parquet"])
def test_an_address_that_pyarrow_does_not_know_is_opened_by_fsspec(
    tmp_path: Path, name: str
) -> None:
    pytest.importorskip("pyarrow")
    memory = pytest.importorskip("fsspec").filesystem("memory")
    memory.pipe_file(f"/{name}", written(tmp_path, name).read_bytes())
    items = list(rows(f"memory://{name}"))
    assert [row.values for row in items if isinstance(row, Row)] == VALUES


def test_without_fsspec_such_an_address_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(DataError, match="memory://a needs fsspec: run  pip install fsspec  first"):
        list(rows("memory://a"))


@pytest.mark.parametrize(
    "address", ["memory://no/such.jsonl", "file:///no/such/file.jsonl", "gopher://host/file.jsonl"]
)
def test_an_address_that_cannot_be_opened_is_one_sentence(address: str) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(DataError, match=r"cannot be opened .*: check the address"):
        list(rows(address))


def test_a_file_without_a_suffix_is_recognised_by_its_content(tmp_path: Path) -> None:
    for kind in ("jsonl", "csv", "tsv"):
        path = written(tmp_path, f"data.{kind}").rename(tmp_path / f"plain-{kind}")
        assert [r.values for r in rows(str(path)) if isinstance(r, Row)] == VALUES


def test_bad_lines_are_failures_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    deep = b"[" * 99_999 + b"\n"
    path.write_bytes(b'{"id": 1}\n{broken\n\n[1]\n\xff\xfe{"id": 2}\n{"id": 3}\n' + deep)
    items = list(rows(str(path)))
    assert [type(item) for item in items] == [Row, Failure, Failure, Failure, Row, Failure]
    wheres = [item.where for item in items]
    assert wheres == [f"{path}:{n}" for n in (1, 2, 4, 5, 6, 7)]


def test_a_table_row_of_the_wrong_width_is_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("id,response\n1,a\n2,b,c\n3\n4,d\n")
    items = list(rows(str(path)))
    assert [type(item) for item in items] == [Row, Failure, Failure, Row]
    assert isinstance(items[1], Failure)
    assert items[1].error == "The line has 3 fields, but the header has 2."


def test_a_latin_1_cell_is_a_failure_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes(b"id,response\n1,caf\xe9\n2,ok\n")
    items = list(rows(str(path)))
    assert isinstance(items[0], Failure)
    assert "UTF-8" in items[0].error
    assert isinstance(items[1], Row)


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
    items = list(rows(str(path)))
    assert len(items) > 1000
    assert isinstance(items[-1], Failure)


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no file"):
        list(rows(str(tmp_path / "none.jsonl")))
    with pytest.raises(DataError, match="is a folder"):
        list(rows(str(tmp_path)))


@pytest.mark.parametrize("name", ["data.jsonl", "data.jsonl.gz", "data.json", "data.parquet"])
def test_rows_are_counted_for_the_progress_bar(tmp_path: Path, name: str) -> None:
    assert count(str(written(tmp_path, name))) == 2


def test_rows_are_not_counted_where_that_takes_as_long_as_reading_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert count("-") is None
    assert count("s3://bucket/data.jsonl") is None
    for name in ("data.json.gz", "data.parquet.gz"):
        assert count(str(written(tmp_path, name))) is None
    monkeypatch.setattr(files, "_TEN_MIB", 16)
    assert count(str(written(tmp_path, "data.json"))) is None


def test_a_damaged_parquet_file_is_not_counted(tmp_path: Path) -> None:
    path = written(tmp_path, "data.parquet")
    path.write_bytes(path.read_bytes()[:-20])
    assert count(str(path)) is None


@pytest.mark.parametrize("name", ["a.tsv", "a.csv"])
def test_a_quote_that_is_not_closed_does_not_swallow_the_file(tmp_path: Path, name: str) -> None:
    separator = "\t" if name.endswith("tsv") else ","
    lines = ["id{0}response", '1{0}"Yes I do', "2{0}second", "3{0}third"]
    path = tmp_path / name
    path.write_text("\n".join(lines).format(separator) + "\n")
    (failure,) = rows(str(path))
    assert isinstance(failure, Failure)
    assert failure.where.endswith(f"{name}:2")
    assert "The lines 2 to 4 do not parse" in failure.error


def test_a_quote_within_an_unquoted_cell_is_a_failure_of_its_line_only(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text('id\tresponse\n1\t"Jaws" was good\n2\tsecond\n')
    failure, row = rows(str(path))
    assert isinstance(failure, Failure)
    assert "quotes within it are doubled" in failure.error
    assert isinstance(row, Row)
    assert row.values["id"] == "2"


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.csv.gz", "a.json.gz", "a.gz"])
@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_a_damaged_gzip_file_is_a_failure_and_not_the_end(
    tmp_path: Path, name: str, damage: str
) -> None:
    body = b"id,response\n" + b"".join(b"%d,r%d\n" % (n, n * n) for n in range(400))
    zipped = bytearray(gzip.compress(body))
    if damage == "cut":
        zipped = zipped[:-30]
    else:
        zipped[40:44] = b"\xff\x00\xff\x00"
    path = tmp_path / name
    path.write_bytes(zipped)
    items = list(rows(str(path)))
    assert isinstance(items[-1], Failure)
    assert count(str(path)) is None


@pytest.mark.parametrize("lines", [True, False])
def test_a_latin_1_json_file_is_told_to_be_saved_as_utf_8(tmp_path: Path, lines: bool) -> None:
    values = [{"id": "1", "response": "café"}, {"id": "2", "response": "tea"}]
    texts = [json.dumps(value, ensure_ascii=False) for value in values]
    path = tmp_path / "a.json"
    path.write_bytes(("\n".join(texts) if lines else f"[{', '.join(texts)}]").encode("latin-1"))
    first, second = rows(str(path))
    assert isinstance(first, Failure)
    assert "UTF-8" in first.error
    assert isinstance(second, Row)


def test_a_json_list_in_utf_16_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(VALUES, indent=2), encoding="utf-16")
    assert [row.values for row in rows(str(path)) if isinstance(row, Row)] == VALUES


def test_a_csv_file_may_use_semicolons(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id;response\n1;one, two\n")
    (row,) = rows(str(path))
    assert isinstance(row, Row)
    assert row.values == {"id": "1", "response": "one, two"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_csv_file_may_use_tabs(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "export.csv"
    path.write_text("id\tresponse\n1\tyes, five\n", encoding=encoding)
    (row,) = rows(str(path))
    assert isinstance(row, Row)
    assert row.values == {"id": "1", "response": "yes, five"}


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    small = files.FileLimits(line=10_000, expanded=200_000, whole=50_000)
    monkeypatch.setattr(files, "limits", lambda: small)


@pytest.mark.usefixtures("small_limits")
def test_a_gzip_bomb_is_one_failure(tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"response": "x"}\n' * 1_000_000))
    *good, last = rows(str(path))
    assert isinstance(last, Failure)
    assert "expands to more than" in last.error
    assert "STAYTRUE_MAX_EXPANDED_MB" in last.error
    assert len(good) < 20_000


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("name", ["long.jsonl", "long.csv", "long.jsonl.gz"])
def test_a_line_beyond_the_limit_is_one_failure(tmp_path: Path, name: str) -> None:
    body = b"response\n" * name.endswith(".csv") + b"x" * 100_000
    path = tmp_path / name
    path.write_bytes(gzip.compress(body) if name.endswith(".gz") else body)
    (example,) = rows(str(path))
    assert isinstance(example, Failure)
    assert "A line is longer than" in example.error


@pytest.mark.usefixtures("small_limits")
def test_a_json_list_beyond_the_limit_is_one_failure(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text(json.dumps([{"response": "x" * 50}] * 2_000, indent=1))
    (example,) = rows(str(path))
    assert isinstance(example, Failure)
    assert "JSONL" in example.error


@pytest.mark.parametrize(
    ("name", "head"), [("a.xlsx", b"PK\x03\x04"), ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")]
)
def test_excel_is_refused_in_one_sentence(tmp_path: Path, name: str, head: bytes) -> None:
    (tmp_path / name).write_bytes(head + bytes(100))
    with pytest.raises(DataError, match="Excel file: save it as 'CSV UTF-8'"):
        list(rows(str(tmp_path / name)))


def archive(path: Path, *names: str) -> str:
    with ZipFile(path, "w", ZIP_DEFLATED) as bundle:
        for name in names:
            bundle.writestr(name, json.dumps({"id": name, "padding": "x" * 40}))
    return str(path)


@pytest.mark.parametrize("name", ["table", "table.zip", "table.csv"])
def test_a_workbook_is_recognised_by_its_content(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="Excel file: save it as 'CSV UTF-8'"):
        list(rows(archive(tmp_path / name, "[Content_Types].xml", "xl/workbook.xml")))


def test_an_archive_of_something_else_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a zip archive: unpack it"):
        list(rows(archive(tmp_path / "data.jsonl.zip", "data.jsonl")))
    with pytest.raises(DataError, match="is an Inspect log without samples"):
        list(rows(archive(tmp_path / "log.eval", "header.json")))


def test_the_samples_of_a_log_are_not_counted_before_they_are_read(tmp_path: Path) -> None:
    path = archive(tmp_path / "log.eval", "header.json", "samples/1_epoch_1.json")
    assert count(path) is None
    assert [row.where for row in rows(path)] == [f"{path}: samples/1_epoch_1.json"]


def test_a_sample_that_is_stored_in_parts_is_one_failure(tmp_path: Path) -> None:
    folder = "samples/2_epoch_1"
    path = archive(
        tmp_path / "log.eval", "header.json", "samples/a/b_epoch_1.json", f"{folder}/sample.json",
        f"{folder}/messages/0.json",
    )  # fmt: skip
    row, failure = rows(path)
    assert isinstance(row, Row)
    assert isinstance(failure, Failure)
    assert "stored in parts: run  inspect log convert" in failure.error


def overwritten(path: str, member: str, offset: int, value: bytes) -> None:
    """Change bytes of a member's header, in the archive's directory and before its content."""
    content = bytearray(Path(path).read_bytes())
    first, last = content.find(member.encode()), content.rfind(member.encode())
    # The name follows after 30 bytes of its own header, and after 46 in the directory.
    for start in (first - 30 + offset, last - 46 + offset + 2):
        content[start : start + len(value)] = value
    Path(path).write_bytes(content)


def test_a_log_in_an_unknown_compression_is_to_be_converted(tmp_path: Path) -> None:
    sample = "samples/1_epoch_1.json"
    path = archive(tmp_path / "log.eval", "header.json", sample)
    overwritten(path, sample, 8, (1234).to_bytes(2, "little"))
    with pytest.raises(DataError, match=r"inspect log convert .*log.eval --to json --output-dir"):
        list(rows(path))


def test_a_damaged_sample_is_a_failure_and_the_rest_goes_on(tmp_path: Path) -> None:
    names = ["samples/1_epoch_1.json", "samples/2_epoch_1.json"]
    path = archive(tmp_path / "log.eval", *names)
    overwritten(path, names[0], 14, b"\0\0\0\0")
    failure, row = rows(path)
    assert isinstance(failure, Failure)
    assert "The sample is damaged" in failure.error
    assert isinstance(row, Row)


def test_a_cut_archive_is_a_failure(tmp_path: Path) -> None:
    path = Path(archive(tmp_path / "log.eval", "header.json", "samples/1_epoch_1.json"))
    path.write_bytes(path.read_bytes()[:-30])
    (failure,) = rows(str(path))
    assert isinstance(failure, Failure)
    assert "damaged or truncated" in failure.error


@pytest.mark.usefixtures("small_limits")
def test_an_archive_that_expands_beyond_the_limit_is_one_failure(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with ZipFile(path, "w", ZIP_DEFLATED) as bundle:
        for number in range(30):
            bundle.writestr(f"samples/{number}_epoch_1.json", json.dumps({"input": "x" * 9_000}))
    (failure,) = rows(str(path))
    assert isinstance(failure, Failure)
    assert "expands to more than" in failure.error


def test_a_log_is_read_from_standard_input_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = archive(tmp_path / "log.eval", "samples/1_epoch_1.json")
    process = subprocess.Popen(["cat", path], stdout=subprocess.PIPE)
    monkeypatch.setattr(sys, "stdin", process.stdout)
    (row,) = rows("-")
    assert isinstance(row, Row)
    assert process.wait() == 0
