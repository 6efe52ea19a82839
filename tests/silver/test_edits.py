"""Edits keep capitals, articles and marks right."""

from __future__ import annotations

import pytest

from staytrue.english.articles import article_for
from staytrue.silver.edits import Edit, edit, replace
from staytrue.silver.methods.carry import carry_over


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("It is a big dog.", "big", "old", "It is an old dog."),
        ("It is an old dog.", "old", "big", "It is a big dog."),
        ("Dogs bark.", "Dogs", "they", "They bark."),
        ("We saw it, in 1990, again.", " in 1990,", "", "We saw it, again."),
        ("He left (in 1990).", " (in 1990)", "", "He left."),
        ("he said , yes .", "yes", "no", "he said , no ."),
    ],
)
def test_an_edit_leaves_a_well_formed_sentence(text, old, new, expected):
    assert edit(text, [replace(text.index(old), old, new)]).text == expected


def test_several_edits_keep_their_offsets_in_the_original():
    made = edit("one two three", [replace(8, "three", "3"), replace(0, "one", "1")])
    assert made.text == "1 two 3"
    assert [e.start for e in made.edits] == [0, 8]


@pytest.mark.parametrize(
    ("word", "article"),
    [
        ("hour", "an"),
        ("unit", "a"),
        ("uncle", "an"),
        ("European", "a"),
        ("8th", "an"),
        ("cat", "a"),
    ],
)
def test_articles_follow_the_sound(word, article):
    assert article_for(word) == article


def test_a_change_of_the_evidence_is_carried_over_in_any_case():
    edits = [Edit(0, 5, "Maine", "Texas")]
    made = carry_over(edits, "yes , maine is nice , maine !")
    assert made is not None
    assert made.text == "yes , Texas is nice , Texas !"
    assert carry_over(edits, "it is nice in mainetown") is None
