"""Nouns that name people, by gender where the word says it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from staytrue.english.lemmas import lemma
from staytrue.english.word_lists import word_pairs

Gender = Literal["male", "female"]


def is_person(word: str) -> bool:
    """Whether the noun, in the singular or plural, names a person."""
    people = word_pairs("people")
    low = word.lower()
    return low in people or lemma(low) in people


def name_a_person(words: Iterable[str]) -> bool:
    """Whether one of the words names a person."""
    return any(is_person(word) for word in words)


def gender_of(words: Iterable[str]) -> Gender | None:
    """The gender that one of the words says; None if none does."""
    people = word_pairs("people")
    genders = {people.get(word.lower()) or people.get(lemma(word)) for word in words}
    return "male" if "male" in genders else "female" if "female" in genders else None
