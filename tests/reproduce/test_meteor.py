"""METEOR beside Q² on Topical-Chat: what it counts, and that the page keeps its section."""

from __future__ import annotations

from pathlib import Path

import pytest
from reproduce import meteor

from staytrue.core.records import Example, Turn

pytest.importorskip("nltk", reason="METEOR is nltk's")


def test_stems_match_and_other_words_do_not() -> None:
    assert meteor.meteor("two dogs barked", "two dog barking") > 0.9
    assert meteor.meteor("two dogs barked", "nothing alike here") == 0.0


def test_a_fragmented_match_costs() -> None:
    """Worked by hand: all six words match, in one chunk or in three."""
    whole = meteor.meteor("a b c d e f", "a b c d e f")
    parts = meteor.meteor("a b c d e f", "e f c d a b")
    assert whole == pytest.approx(1 - 0.5 * (1 / 6) ** 3)
    assert parts == pytest.approx(1 - 0.5 * (3 / 6) ** 3)


def test_the_reference_is_the_persons_response_in_the_same_context() -> None:
    turns = (Turn("user", "hello"),)
    person = Example("1", "i saw it", "a fact", turns, tags={"system": meteor.ORIGINAL})
    bot = Example("2", "me too", "a fact", turns, tags={"system": "argmax"})
    assert meteor.originals([person, bot]) == {(turns, "a fact"): "i saw it"}


@pytest.mark.slow
def test_the_section_has_a_row_for_each_setting(published_data: Path) -> None:
    text = "\n".join(meteor.section(data=published_data / "dev"))
    assert text.count("| the original human response |") == 3
    assert text.count("| the fact |") == 2
