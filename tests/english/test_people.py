"""Nouns that name people."""

from __future__ import annotations

import pytest

from staytrue.english.word_kinds import RELATIVES
from staytrue.english.words import gender_of, is_person, name_a_person


@pytest.mark.parametrize("word", "mother Mothers children people wife wives boss neighbor".split())
def test_people_are_told_in_the_singular_and_the_plural(word: str) -> None:
    assert is_person(word)


@pytest.mark.parametrize("word", ["movie", "dog", "name", ""])
def test_other_nouns_name_nobody(word: str) -> None:
    assert not is_person(word)


def test_a_word_may_say_the_gender() -> None:
    assert gender_of(["my", "uncle"]) == "male"
    assert gender_of(["the", "women"]) == "female"
    assert gender_of(["a", "friend"]) is None
    assert name_a_person(["a", "friend"])


def test_every_relative_is_a_person() -> None:
    assert [word for word in RELATIVES if not is_person(word)] == []
