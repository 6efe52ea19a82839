"""What people saved is read, or refused in one sentence, the same for every kind of sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from staytrue.annotation import begin_sheet as questionnaire
from staytrue.annotation import inquiry_sheets
from staytrue.annotation.filled_sheets import each_once, read_rows
from staytrue.core.errors import DataError
from staytrue.core.records import Example

Reader = Callable[[Path], Iterable[object]]


def inquiries(path: Path) -> Iterable[object]:
    return inquiry_sheets.read_sheet(path, inquiry_sheets.INQUIRY_FIELDS)


@pytest.fixture(params=[questionnaire.read_sheet, inquiries, read_rows])
def read(request: pytest.FixtureRequest) -> Reader:
    """Every way to read a sheet."""
    reader: Reader = request.param
    return lambda path: list(reader(path))


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le"])
def test_another_encoding_is_refused_in_the_same_words(
    read: Reader, tmp_path: Path, encoding: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("item,id\n1,caf\xe9\n".encode(encoding))
    with pytest.raises(DataError) as error:
        read(path)
    assert str(error.value) == (
        f"{path} is not UTF-8: save it again as 'CSV UTF-8' in the spreadsheet."
    )


def test_a_sheet_that_is_not_there_is_refused(read: Reader, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no sheet"):
        read(tmp_path / "nowhere.csv")


def test_a_mark_at_the_start_and_windows_line_ends_are_no_matter(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes('\ufeffitem,text\r\n1,"two\r\nlines"\r\n'.encode())
    assert read_rows(path) == (["item", "text"], [{"item": "1", "text": "two\r\nlines"}])


def test_a_sheet_with_a_long_document_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    questionnaire.write_sheet([Example("a", "Yes.", "word " * 50_000)], path, b"a key")
    _, (row,) = read_rows(path)
    assert len(row["document"]) == 250_000


@pytest.mark.parametrize("mark", [";", "\t"])
def test_a_sheet_saved_where_the_comma_is_for_decimals_is_read(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        f'item{mark}off-topic, both or neither?{mark}seconds\n1{mark}"a, b; c"{mark}1\n'
    )
    header = ["item", "off-topic, both or neither?", "seconds"]
    assert read_rows(path) == (header, [dict(zip(header, ["1", "a, b; c", "1"], strict=True))])


def test_an_annotator_answers_an_item_once() -> None:
    rows = [("ann", 1), ("bob", 1), ("ann", 2)]
    assert list(each_once(rows, lambda row: row)) == rows
    with pytest.raises(DataError, match="'ann' judges an item twice"):
        list(each_once([*rows, ("ann", 1)], lambda row: row))
