"""Word lists are data: each file tells where its words come from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import staytrue

PACKAGE = Path(staytrue.__file__).parent
LISTS = sorted(
    file
    for room in ("english/lexicon", "backends/rules", "silver/methods")
    for file in (PACKAGE / room).glob("*.txt")
    if not file.stem.isupper()  # the text of a licence
)
ORIGIN = re.compile(
    r"(?:written|collected) for staytrue"
    r"|^# From WordNet 3\.0, |^# The stop words of spaCy 3\.8|counted by training/\w+\.py"
)


@pytest.mark.parametrize("file", LISTS, ids=lambda file: file.stem)
def test_the_first_line_of_a_word_list_says_where_it_comes_from(file: Path) -> None:
    first = file.read_text("utf-8").partition("\n")[0]
    assert first.startswith("# ")
    assert ORIGIN.search(first), first
