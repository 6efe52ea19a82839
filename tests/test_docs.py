"""The documentation's Python runs, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def blocks(page: Path) -> str:
    """All Python blocks of a page, one after the other, as a reader would run them."""
    return "\n".join(re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.S))


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda p: p.name)
def test_the_python_of_a_page_runs(page: Path) -> None:
    exec(compile(blocks(page), str(page), "exec"), {})


LINKING = [*PAGES, *(ROOT / "examples").rglob("*.md"), *(ROOT / "training" / "cards").glob("*.md")]


@pytest.mark.parametrize("page", LINKING, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), target
