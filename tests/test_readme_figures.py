"""Every figure that the README gives is one of its generated page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
DOCS = REPOSITORY / "docs"
# Whose page a row of the README's tables is of, by the words it begins with. Rows that follow, with
# a dash in front, are of the same page.
AGREEMENT = {
    "Q²": "results-q2.md", "Topical-Chat": "results-q2.md", "BEGIN": "results-begin.md",
    "AIH": "results-aih.md", "ConsisTest": "results-consistest.md",
}  # fmt: skip
HEADLINE = {
    "Q²": "results-headline.md", "BEGIN": "results-headline.md",
    "FaithDial's audit": "results-headline.md", "grounded claims": "results-headline.md",
    "everyday": "results-everyday.md",
}  # fmt: skip
SPEED = {"`": "performance.md"}
NUMBER = re.compile(r"(?<![\d.,])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\d.]*\d)")
# What is theirs, or no figure: names of options and commands, what one looks for, shares of draws.
NO_FIGURE = re.compile(r"`[^`]*`|95 %")


def tables() -> list[list[list[str]]]:
    """The tables of the README's section "Measured": rows of cells, the header first."""
    text = (REPOSITORY / "README.md").read_text("utf-8")
    section = text.partition("## Measured")[2].partition("\n## ")[0]
    blocks = re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)
    return [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        for block in blocks
    ]


def rows() -> Iterator[tuple[str, str, str]]:
    """The name of each row, its page, and the text of our figures."""
    agreement, speed, headline = tables()
    for table, pages, ours in (
        (agreement, AGREEMENT, 1),
        (speed, SPEED, 1),
        (headline, HEADLINE, 9),
    ):
        page = ""
        for name, *cells in table[2:]:
            page = next((file for start, file in pages.items() if name.startswith(start)), page)
            if name.startswith("the paper's"):
                continue  # a measurement of its own, with its command
            yield name, page, " ".join(cells[:ours])


def figures(text: str) -> list[str]:
    return NUMBER.findall(NO_FIGURE.sub(" ", text))


def is_on(page: str, figure: str) -> bool:
    """Whether a page has the figure, perhaps with more digits."""
    digits = len(figure.partition(".")[2])
    wanted = float(figure.replace(",", ""))
    return any(
        len(one.partition(".")[2]) >= digits
        and round(float(one.replace(",", "")), digits) == wanted
        for one in NUMBER.findall(page)
    )


ROWS = list(rows())


@pytest.mark.parametrize(("name", "page", "ours"), ROWS, ids=[name[:40] for name, _, _ in ROWS])
def test_a_figure_of_the_readme_stands_on_its_page(name: str, page: str, ours: str) -> None:
    assert page, f"no page is named for the row {name!r}"
    text = (DOCS / page).read_text("utf-8")
    assert figures(ours), "a row without a figure of ours"
    missing = [figure for figure in figures(ours) if not is_on(text, figure)]
    assert not missing, f"{page} does not have {missing}: copy the row from it"


def test_another_figure_is_noticed() -> None:
    page = "| Q² | 0.7712 [0.728, 0.809] | 1,204 |"
    assert is_on(page, "0.771")
    assert is_on(page, "1,204")
    assert not is_on(page, "0.772")
    assert not is_on(page, "0.77123")
