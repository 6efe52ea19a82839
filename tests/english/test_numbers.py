"""Number words ↔ digits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.english.numbers import in_words, number_in, to_digits


@given(st.integers(min_value=0, max_value=999_999_999))
def test_every_number_in_words_reads_back_as_its_digits(value: int) -> None:
    assert to_digits(in_words(value)) == str(value)
    assert number_in(in_words(value)) == value


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("i have twenty one books and two dogs", "i have 21 books and 2 dogs"),
        ("a hundred and one", "101"),
        ("half a million", "500000"),
        ("1.5 million", "1500000"),
        ("10k", "10000"),
        ("1,000 hats", "1000 hats"),
        ("nineteen ninety two", "1992"),
        ("twenty eleven", "2011"),
        ("nineteen oh five", "1905"),
        ("two thousand and ten", "2010"),
        ("twenty twenty", "2020"),
        ("the twenty-first", "the 21st"),
        ("third grade", "3rd grade"),
        ("one hundred twelfth", "112th"),
        ("a dozen eggs", "12 eggs"),
        ("5cats", "5 cats"),
        ("the 80s", "the 80s"),
        ("the nineties", "the 90s"),
        ("the nineteen nineties", "the 1990s"),
        ("two and a half million fans", "2500000 fans"),
        ("two and a half years", "2 and a half years"),
        ("two three four", "2 3 4"),
        ("five hundred and i left", "500 and i left"),
        ("thirty and forty", "30 and 40"),
        ("hundreds of people and a dog", "hundreds of people and a dog"),
    ],
)
def test_number_phrases_become_digits_and_the_rest_stays(text: str, digits: str) -> None:
    assert to_digits(text) == digits


@given(st.text())
def test_any_text_is_read_and_reading_twice_changes_nothing(text: str) -> None:
    assert to_digits(to_digits(text)) == to_digits(text)


def test_a_text_that_is_not_one_number_is_none() -> None:
    assert number_in("two dogs") is None
    assert number_in("") is None
