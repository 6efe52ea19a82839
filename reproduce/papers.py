"""Write docs/papers.md: `python -m reproduce.papers`, after the result pages.

Every step, constant, baseline, ablation and table of the four papers has a line in papers.txt:
where it is, whether it is as published, and the paper's figure. Ours are taken from the pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reproduce.pages import REPOSITORY, table

ROWS = Path(__file__).with_name("papers.txt")
DOCS = REPOSITORY / "docs"
PAGE = DOCS / "papers.md"


@dataclass(frozen=True)
class PaperItem:
    """One line of papers.txt."""

    paper: str
    item: str
    where: tuple[str, ...]
    how: str
    published: str
    cell: str
    """`page > section > row > column`, or nothing."""


def rows() -> list[PaperItem]:
    """What papers.txt says."""
    parsed: list[PaperItem] = []
    paper = ""
    for line in ROWS.read_text("utf-8").splitlines():
        if line.startswith("## "):
            paper = line.removeprefix("## ")
        elif line.strip() and not line.startswith("#"):
            parts = [part.strip() for part in line.split(" | ")]
            item, where, how, published, cell = parts + [""] * (5 - len(parts))
            parsed.append(PaperItem(paper, item, tuple(where.split("; ")), how, published, cell))
    return parsed


def figure(cell: str, docs: Path = DOCS) -> str:
    """The figure that a page shows at `page > section > row > column`; empty where it has none."""
    if not cell:
        return ""
    page, section, *labels, column = cell.split(" > ")
    name, _, occurrence = column.partition("#")
    wanted = " > ".join(labels).split(" / ")
    file = docs / page
    inside, header, at = False, [""], -1
    for line in file.read_text("utf-8").splitlines() if file.is_file() else []:
        if line.startswith("## "):
            inside = section in line
        inside = inside or (line.startswith("### ") and section in line)
        if not line.startswith("|"):
            header = []
            continue
        cells = [part.strip() for part in line.strip("| ").split("|")]
        if not header:
            header = cells
            columns = [n for n, one in enumerate(header) if one == name]
            at = columns[int(occurrence or 1) - 1] if len(columns) >= int(occurrence or 1) else -1
        elif inside and at >= 0 and [one.strip("* ") for one in cells[: len(wanted)]] == wanted:
            return cells[at] if at < len(cells) else ""
    return ""


def page(docs: Path = DOCS) -> str:
    """The table of each paper."""
    parts = [
        "# The papers, step by step\n",
        "Written by `python -m reproduce.papers` from `reproduce/papers.txt` and the result pages; "
        "do not edit. “Faithful” means: as the paper says, not as its released code does. Our "
        "figures come from the models that ship, on dev halves; the papers' come from models "
        "a hundred times larger, on all data. A cell is empty where a step has no figure, where "
        "the paper's is cut in our text or a picture, and where we have not measured it.\n",
    ]
    every = rows()
    header = ("what", "where", "as published?", "paper", "ours")
    for paper in dict.fromkeys(row.paper for row in every):
        own = [
            [row.item, "<br>".join(f"`{file}`" for file in row.where), row.how, row.published,
             figure(row.cell, docs)]
            for row in every
            if row.paper == paper
        ]  # fmt: skip
        parts += [f"## {paper}\n", table(header, own)]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"Wrote {PAGE}.")
