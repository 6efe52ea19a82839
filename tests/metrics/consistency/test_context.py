"""Short answers are read with the question that they answer."""

from __future__ import annotations

import pytest

from staytrue.core.protocols import Claim
from staytrue.core.records import Example, Turn
from staytrue.metrics.consistency.context import (
    in_context,
    is_short_answer,
    list_lead,
    with_open_subject,
)


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
        ("Yes.", "Can I pay you in cash?", "you can pay us in cash."),
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


@pytest.mark.parametrize("response", ["My husband works as a firefighter.", "I work at night."])
def test_a_short_sentence_with_a_verb_is_no_fragment(response: str) -> None:
    assert read(response, "What do you do for a living?") == response


def test_a_whole_sentence_stays_as_it_is() -> None:
    text = "Sale items are returned by post."
    assert read(text, "Can I return sale items?") == text
    assert read("Yes.", "I like dogs.") == "Yes."


def test_only_bare_answers_are_short() -> None:
    assert is_short_answer("Yes!")
    assert is_short_answer("No, it isn't.")
    assert not is_short_answer("Yes, sale items can be returned.")


def test_every_way_to_say_no_is_read_with_its_question() -> None:
    history = (Turn("user", "Is flight NL 412 on time?"),)
    example = Example("1", "Unfortunately not.", "NL 412 leaves late.", history)
    assert (
        in_context(Claim("Unfortunately not.", 0, 18), example) == "flight NL 412 is not on time."
    )


OPEN = "It lies between violet and green on the spectrum of visible light."


def test_knowledge_that_opens_with_a_pronoun_may_be_about_the_subject_of_the_claim() -> None:
    assert with_open_subject("blue lies between green and violet .", OPEN) == (
        "It lies between green and violet."
    )
    assert with_open_subject(
        "Madonna is known for new images.", "She is known for new images."
    ) == ("She is known for new images.")


@pytest.mark.parametrize(
    ("statement", "knowledge"),
    [
        ("Green lies next to blue.", OPEN),  # the knowledge names it
        ("Blue and red are colours.", OPEN),  # "it" is one thing
        ("Coffee is hot.", "It is hard to say who drank coffee first."),  # "it" is nothing
        ("Coffee is hot.", "It is known that coffee is hot."),
        ("It is a colour.", OPEN),
        ("Blue is a colour.", "Blue is a colour. It is dark."),
        ("", OPEN),
    ],
)
def test_a_claim_about_something_else_stays_as_it_is(statement: str, knowledge: str) -> None:
    assert with_open_subject(statement, knowledge) == statement


def test_an_item_of_a_list_is_read_with_the_line_above_the_list() -> None:
    response = "For a renewal, please bring:\n\n1. **Two photos**\n2. Your passport is needed."
    example = Example("1", response, "k", (Turn("user", "What do I need?"),))
    start = response.index("**Two")
    fragment = Claim("**Two photos**", start, start + 14)
    assert in_context(fragment, example) == "For a renewal, please bring: Two photos"
    sentence = Claim("Your passport is needed.", response.index("Your"), len(response))
    assert in_context(sentence, example) == "Your passport is needed."


def test_only_items_of_a_list_have_a_line_above_it() -> None:
    assert list_lead("We sell:\ntea", 9) == ""
    assert list_lead("We sell tea.\n- green", 15) == ""
    assert list_lead("Here are the steps:\n- green", 22) == ""
    assert list_lead("**We sell:**\n- green\n- black", 23) == "We sell:"
