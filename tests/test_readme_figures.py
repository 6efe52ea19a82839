"""Every figure in the README's tables of results stands in its generated page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from reproduce import two_cores

REPOSITORY = Path(__file__).resolve().parent.parent
DOCS = REPOSITORY / "docs"
NUMBER = re.compile(r"(?<![\d.,])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\d.]*\d)")
# No figures of ours: names of options and commands, shares of draws, whose figure it is.
NO_FIGURE = re.compile(r"`[^`]*`|95 %|\([^)]*\)")
HEADLINE = "results-headline.md"

# How a row of the README begins → its page, what the lines with its figures begin with, and how
# many columns of it are ours.
ROWS = {
    "Q² cross-annotation": ("results-q2.md", r"\| (?:Q²|overlap) \|", 2),
    "Q² response level": ("results-q2.md", r"\| (?:Q²|overlap) \|", 2),
    "Q² simulated systems": ("results-q2.md", r"\| (?:Q²|overlap) \| 127", 2),
    "BEGIN v1, three classes": ("results-begin.md", r"\| \*\*(?:ours|trivial)", 2),
    "BEGIN v1, five classes": ("results-begin.md", r"\| \*\*(?:ours|trivial)", 2),
    "BEGIN v1, ROC-AUC": ("results-begin.md", r"\| `(?:begin|overlap)", 2),
    "AIH: dialogues per pair": ("results-aih.md", r"\| all five \|", 1),
    "AIH: contradiction rate": ("results-aih.md", r"\| `persona:seed=201,slip=0`", 1),
    "ConsisTest": ("results-consistest.md", r"\| (?:\*\*hybrid\*\*|F1|kept)", 2),
    "`nli`": ("performance.md", r"\| `nli` \|", 1),
    "`begin` (": ("performance.md", r"\| `begin` \|", 1),
    "`consistency` (": ("performance.md", r"\| `consistency` \|", 1),
    "`q2` (": ("performance.md", r"\| `q2` \|", 1),
    "on the Q² cross-annotation": (HEADLINE, r"\| Q² cross-annotation", 3),
    "on BEGIN v1": (HEADLINE, r"\| BEGIN v1", 3),
    "on FaithDial's audit": (HEADLINE, r"\| FaithDial's audit", 3),
    "on grounded claims": (HEADLINE, r"\| grounded claims", 3),
    "on everyday support": ("results-everyday.md", r"\| \*\*all\*\*", 2),
    "— accuracy at 0.5": ("results-everyday.md", r"\| \*\*all\*\*", 2),
}
# With commands of their own, and no page.
OTHERS = ("the paper's Q² models", "— refusals and greetings")


def measured() -> list[str]:
    """The rows of the tables in the README's section "Measured"."""
    text = (REPOSITORY / "README.md").read_text("utf-8")
    section = text.partition("## Measured")[2].partition("\n## ")[0]
    blocks = re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)
    return [line.strip("| ") for block in blocks for line in block.splitlines()[2:]]


def missing(row: str, page: str, lines: str, columns: int) -> list[str]:
    """The figures of a row that stand in no such line of its page, be it with more digits."""
    there = [line for line in page.splitlines() if re.match(lines, line)]
    cells = [cell.strip() for cell in row.split("|")][1 : columns + 1]
    wanted = NUMBER.findall(NO_FIGURE.sub(" ", " ".join(cells)))
    assert wanted, f"no figure in {row!r}"
    shown = NUMBER.findall(" ".join(there))
    return [figure for figure in wanted if not any(_rounds_to(one, figure) for one in shown)]


def _rounds_to(shown: str, figure: str) -> bool:
    digits, more = (len(number.partition(".")[2]) for number in (figure, shown))
    numbers = [float(number.replace(",", "")) for number in (shown, figure)]
    return more >= digits and abs(numbers[0] - numbers[1]) <= 0.5 * 10**-digits + 1e-9


@pytest.mark.parametrize("row", measured(), ids=lambda row: row[:40])
def test_the_figures_of_a_row_stand_in_its_page(row: str) -> None:
    if row.startswith(OTHERS):
        pytest.skip("no page has these figures")
    file, lines, columns = next(source for start, source in ROWS.items() if row.startswith(start))
    page = (DOCS / file).read_text("utf-8")
    assert not missing(row, page, lines, columns), f"copy the row from {file}"


TWO_CORES = re.compile(r"(\d+) on two cores[^:]*: (`python -m [^`]+`)")


@pytest.mark.parametrize(("figure", "command"), TWO_CORES.findall("\n".join(measured())))
def test_a_figure_on_two_cores_stands_beside_its_command(figure: str, command: str) -> None:
    page = (DOCS / "performance.md").read_text("utf-8")
    if f"## {two_cores.TITLE}" not in page:
        pytest.skip("the page was written before it had this section")
    line = rf"\|.*{re.escape(command)}"
    assert not missing(f"x | {figure}", page, line, 1), "copy it from performance.md"


def test_another_figure_is_noticed() -> None:
    page = "| Q² | 0.7712 [0.728, 0.809] |\n| BLEU | 0.631 |"
    assert missing("x | 0.771 [0.728, 0.809] | 9", page, r"\| Q² \|", 1) == []
    assert missing("x | 0.772", page, r"\| Q² \|", 1) == ["0.772"]
    assert missing("x | 0.631", page, r"\| Q² \|", 1) == ["0.631"]
    assert missing("x | 0.77123", page, r"\| Q² \|", 1) == ["0.77123"]
