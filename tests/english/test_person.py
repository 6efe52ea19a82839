"""First person ↔ second person."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.english.person import text_to_second, to_first, to_second


@pytest.mark.parametrize(
    ("own", "yours"),
    [
        ("What am I?", "What are you?"),
        ("Where was I born?", "Where were you born?"),
        ("I never was there with my mom.", "you never were there with your mom."),
        ("I'm sure that's mine", "you're sure that's yours"),
        ("We live in the us", "you live in the us"),
        ("The US president saw us", "The US president saw you"),
        ("She was with me.", "She was with you."),
    ],
)
def test_what_i_say_of_myself_is_said_of_you(own: str, yours: str) -> None:
    assert text_to_second(own) == yours


_REST = st.lists(st.sampled_from("my mine myself a dog is red at home with she was".split()))


@given(st.sampled_from("am was have can do like want".split()), _REST)
def test_turning_to_you_and_back_gives_the_same_words(verb: str, rest: list[str]) -> None:
    words = ["i", verb, "not", *rest]
    assert to_first(to_second(words)) == words


@given(st.text())
def test_what_holds_no_first_person_stays(text: str) -> None:
    once = text_to_second(text)
    assert text_to_second(once) == once
