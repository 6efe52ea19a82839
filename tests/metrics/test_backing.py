"""How the words of a response are backed, as numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.metrics.backing import FEATURES, backing, is_personal


def named(response: str, knowledge: str, message: str = "") -> dict[str, float]:
    return dict(zip(FEATURES, backing(response, knowledge, message), strict=True))


def test_a_copy_is_fully_backed():
    found = named("Early skiers used one long pole.", "Early skiers used one long pole.")
    assert found["overlap"] == found["copied words"] == found["copied pairs"] == 1.0


def test_what_the_knowledge_lacks_is_not_backed():
    found = named("Bowling balls weigh 16 pounds.", "Early skiers used one long pole.")
    assert found["copied words"] == 0.0
    assert found["new numbers"] == 1.0


def test_echoes_of_the_message_questions_and_first_person_are_noticed():
    found = named("I love archery too, do you?", "A ski is narrow.", "I love archery!")
    assert found["echoed words"] == 1.0
    assert found["personal"] == found["question"] == 1.0
    assert not is_personal("It is in Ireland.")


@given(st.text(), st.text(), st.text())
def test_every_number_is_between_zero_and_one(response, knowledge, message):
    assert all(0 <= value <= 1 for value in backing(response, knowledge, message))


def test_pairs_count_order():
    assert named("pole long", "long pole")["copied pairs"] == pytest.approx(0.0)
