"""How the words of a response are backed, as numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.metrics.word_support import (
    FEATURES,
    distinct,
    features,
    in_order,
    is_personal,
    reacts,
)


def named(response: str, knowledge: str, message: str = "") -> dict[str, float]:
    return dict(zip(FEATURES, features(response, knowledge, message), strict=True))


def test_a_copy_is_fully_backed():
    names = named("Early skiers used one long pole.", "Early skiers used one long pole.")
    assert names["overlap"] == names["copied words"] == names["copied pairs"] == 1.0


def test_what_the_knowledge_lacks_is_not_backed():
    names = named("Bowling balls weigh 16 pounds.", "Early skiers used one long pole.")
    assert names["copied words"] == 0.0
    assert names["new numbers"] == 1.0


def test_echoes_of_the_message_questions_and_first_person_are_noticed():
    names = named("I love archery too, do you?", "A ski is narrow.", "I love archery!")
    assert names["echoed words"] == 1.0
    assert names["personal"] == names["question"] == 1.0
    assert not is_personal("It is in Ireland.")


@given(st.text(), st.text(), st.text())
def test_every_number_is_between_zero_and_one(response, knowledge, message):
    assert all(0 <= value <= 1 for value in features(response, knowledge, message))


def test_pairs_count_order():
    assert named("pole long", "long pole")["copied pairs"] == pytest.approx(0.0)


def test_the_same_number_in_another_form_is_not_new():
    assert named("over 9000 acres", "9,000 acres")["new numbers"] == 0.0
    assert named("four poles", "4 poles")["new numbers"] == 0.0
    assert named("5 poles", "4 poles")["new numbers"] == 1.0


def longest_common(left: list[int], right: list[int]) -> int:
    """The textbook's table, slow and plain."""
    above = [0] * (len(right) + 1)
    for item in left:
        row = [0]
        for position, other in enumerate(right):
            row.append(above[position] + 1 if item == other else max(above[position + 1], row[-1]))
        above = row
    return above[-1]


few = st.lists(st.integers(0, 4), min_size=1, max_size=30)


@given(few, few)
def test_what_is_common_in_order_is_counted_as_by_the_textbook(left, right):
    wanted = 2 * longest_common(left, right) / (len(left) + len(right))
    assert in_order(left, right) == pytest.approx(wanted)


def test_nothing_is_common_with_nothing():
    assert in_order([], ["a"]) == in_order(["a"], []) == 0.0


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Yes, he won in 1870.", True),
        ("i ' m not sure , but skis are short .", True),
        ("Well skis are short", True),
        ("Skis are short, yes.", False),
        ("Iceland is cold.", False),
        ("...", False),
    ],
)
def test_a_reaction_is_known_by_the_first_word(text, wanted):
    assert reacts(text) is wanted


def test_repeated_words_are_not_different():
    assert distinct("exported from Africa to africa!") == pytest.approx(0.8)
    assert distinct("one two three") == distinct("") == 1.0
