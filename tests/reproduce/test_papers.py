"""docs/papers.md names things that exist, and is what the generator writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from reproduce import papers
from reproduce.pages import REPOSITORY

ROWS = papers.rows()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.item[:50])
def test_what_a_row_names_exists(row: papers.PaperItem) -> None:
    for reference in row.where:
        path, _, name = reference.partition("::")
        file = REPOSITORY / path
        assert file.is_file(), reference
        assert re.search(rf"\b{re.escape(name)}\b", file.read_text("utf-8")), reference
    assert row.how
    if row.cell:
        page = papers.DOCS / row.cell.split(" > ")[0]
        # A page of earlier weights may lack what its generator writes now.
        if "**Older figures.**" not in page.read_text("utf-8"):
            assert papers.figure(row.cell), row.cell


def test_a_figure_of_ours_stands_beside_the_papers() -> None:
    alone = [row.item for row in ROWS if row.cell and not row.published]
    assert alone == ["Trivial rule (not in the paper): overlap above 0.3, 3-way accuracy (dev)"]


def test_all_four_papers_have_their_rows() -> None:
    sizes = {
        paper: sum(row.paper == paper for row in ROWS) for paper in {row.paper for row in ROWS}
    }
    assert len(sizes) == 4
    assert all(size >= 15 for size in sizes.values()), sizes


def test_the_page_is_what_the_generator_writes_now() -> None:
    assert papers.PAGE.read_text("utf-8") == papers.page(), "run  python -m reproduce.papers"


def test_a_figure_is_found_by_section_row_and_name_of_the_column(tmp_path: Path) -> None:
    (tmp_path / "p.md").write_text(
        "## One\n\n| a | b | b |\n| --- | --- | --- |\n| **x** | 1 | 9 |\n\n"
        "## Two\n\n| a | kind | b |\n|---|---|---|\n| x | old | 2 |\n| x | new |  |\n"
        "| x > 1 | – | 3 |\n"
    )
    figures = {
        "p.md > One > x > b": "1",
        "p.md > One > x > b#2": "9",
        "p.md > One > x > b#3": "",
        "p.md > Two > x / old > b": "2",
        "p.md > Two > x / new > b": "",
        "p.md > Two > x > 1 > b": "3",
        "p.md > Two > x / old > c": "",
        "p.md > Two > y > b": "",
        "no.md > Two > x > b": "",
    }
    assert {cell: papers.figure(cell, tmp_path) for cell in figures} == figures
