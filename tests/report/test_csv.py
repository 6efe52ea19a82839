"""The run as a table for a spreadsheet."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from staytrue.core.records import Example, Turn, Verdict
from staytrue.core.text import spreadsheet_safe
from staytrue.report import write_csv


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1"])
def test_a_formula_becomes_text(cell: str) -> None:
    assert spreadsheet_safe(cell).startswith("'")


@pytest.mark.parametrize("cell", ["plain", "a=b", "", 0.5, 3, True])
def test_other_cells_stay_as_they_are(cell: object) -> None:
    assert spreadsheet_safe(cell) == cell


def test_one_row_an_example_and_one_column_a_metric(make_run, tmp_path: Path) -> None:
    run = make_run(
        [
            Example("=1", 'a, b\n"c"', "k", (Turn("user", "hi"),), consistent=False),
            Example("2", ""),
        ],
        [Verdict("=1", "overlap", 0.5, "x"), Verdict("2", "overlap", None, reason="empty")],
    )
    path = write_csv(run, tmp_path / "out.csv")
    with path.open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    assert first["id"] == "'=1"
    assert first["response"] == 'a, b\n"c"'
    assert (first["message"], first["consistent"], first["overlap"]) == ("hi", "False", "0.5")
    assert (second["overlap"], second["overlap label"]) == ("", "")
    assert (first["overlap reason"], second["overlap reason"]) == ("", "empty")
