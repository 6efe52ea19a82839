"""A sentence of several statements, or one that lists something, becomes one statement for each."""

from __future__ import annotations

import pytest

from staytrue.backends.rules.lists import members, statements
from staytrue.english.parses import parsed


def told(text: str) -> list[str]:
    (parse,) = parsed([text])
    return [member.text for member in members(parse)]


def test_each_thing_is_told_with_the_words_that_all_share() -> None:
    assert told("The standard rate includes breakfast, a picnic lunch and parking.") == [
        "The standard rate includes breakfast.",
        "The standard rate includes a picnic lunch.",
        "The standard rate includes parking.",
    ]
    assert told("Gautama Buddha lived in Ancient India and Egypt.") == [
        "Gautama Buddha lived in Ancient India.",
        "Gautama Buddha lived in Egypt.",
    ]


def test_a_list_goes_on_where_the_parse_takes_its_second_member_for_a_name_of_the_first() -> None:
    assert told("In the box you'll find the camera body, a battery and a strap, plus a card.") == [
        "In the box you'll find the camera body.",
        "In the box you'll find a battery.",
        "In the box you'll find a strap.",
        "In the box you'll find a card.",
    ]


def test_each_action_is_told_of_the_subject_that_all_share() -> None:
    assert told("Katy Perry signed with River Hill Records and released her debut in 2001.") == [
        "Katy Perry signed with River Hill Records.",
        "Katy Perry released her debut in 2001.",
    ]
    assert told("They were bred in Wales and sold abroad.") == [
        "They were bred in Wales.",
        "They were sold abroad.",
    ]
    assert told("The flight is delayed by an hour and will depart at 16:10.") == [
        "The flight is delayed by an hour.",
        "The flight will depart at 16:10.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "It is a mix of tea and milk.",  # right only together
        "The road runs between Rome and Naples.",
        "You can have tea or coffee.",  # an alternative, no sum
        "Tea and coffee are drinks.",  # what is said of the subjects may hold for them together
        "She did not sing in Paris and dance in Rome.",  # whether "not" goes for both is unclear
        "The king of France and Navarre was born in Paris.",  # not where the clause ends
        "It is big and red.",
        "They own and operate their own stores.",  # what they own comes last
        "It was designed and built by Gustave Eiffel.",
        "",
    ],
)
def test_what_holds_only_together_stays_together(text: str) -> None:
    assert told(text) == []


def test_a_member_points_to_its_own_words() -> None:
    text = "it ' s made by apple and has a nice screen ."
    (parse,) = parsed([text])
    assert [text[m.start : m.end] for m in members(parse)] == [
        "it ' s made by apple",
        "has a nice screen",
    ]


def stated(text: str) -> list[str]:
    (parse,) = parsed([text])
    return [statement.text for statement in statements(parse)]


def test_statements_with_subjects_of_their_own_are_told_one_by_one() -> None:
    assert stated("You can pay by card, but refunds take five days.") == [
        "You can pay by card.",
        "refunds take five days.",
    ]
    assert stated("Net income fell to $9.2m, and revenue rose by 78%.") == [
        "Net income fell to $9.2m.",
        "revenue rose by 78%.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Refunds take five days.",
        "If it rains, the pool closes and the bar opens.",  # the condition may go for both
        "You pay by card or refunds take five days.",
        "It charges via USB-C and comes in two colours.",  # one subject: a list of actions
    ],
)
def test_what_is_one_statement_stays_one(text: str) -> None:
    assert stated(text) == []
