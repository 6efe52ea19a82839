"""Short answers are read with the question that they answer."""

from __future__ import annotations

import pytest

from staytrue.core.protocols import Claim
from staytrue.core.records import Example, Turn
from staytrue.metrics.consistency.context import in_context, is_short_answer


def read(response: str, message: str, *, persona: tuple[str, ...] = ()) -> str:
    example = Example("1", response, "k", (Turn("user", message),), persona)
    return in_context(Claim(response, 0, len(response)), example)


@pytest.mark.parametrize(
    ("response", "message", "statement"),
    [
        ("Yes.", "Can I return sale items?", "you can return sale items."),
        ("No.", "Can I return sale items?", "you can not return sale items."),
        ("Yes, it is.", "Is the hotel breakfast included?", "the hotel breakfast is included."),
        ("No.", "Does the store open on Sundays?", "the store does not open on Sundays."),
        ("Yes!", "Do you ship to Canada?", "we ship to Canada."),
    ],
)
def test_yes_and_no_state_what_was_asked(response: str, message: str, statement: str) -> None:
    assert read(response, message) == statement


def test_a_bot_with_a_persona_speaks_for_itself() -> None:
    assert read("Yes.", "do you have four dogs?", persona=("i have two dogs",)) == (
        "i have four dogs."
    )


def test_a_fragment_keeps_its_question() -> None:
    assert read("Until 5 p.m.", "How long are you open?") == "How long are you open? Until 5 p.m."


def test_a_whole_sentence_stays_as_it_is() -> None:
    text = "Sale items are returned by post."
    assert read(text, "Can I return sale items?") == text
    assert read("Yes.", "I like dogs.") == "Yes."


def test_only_bare_answers_are_short() -> None:
    assert is_short_answer("Yes!")
    assert is_short_answer("No, it isn't.")
    assert not is_short_answer("Yes, sale items can be returned.")
