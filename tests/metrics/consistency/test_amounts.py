"""Values of a claim differ from those of the evidence only where both speak of the same."""

from __future__ import annotations

import pytest

from staytrue.metrics.consistency.amounts import compare_values


def differences(claim: str, *lines: str) -> list[tuple[str, str]]:
    compared = compare_values(claim, lines, tuple)
    return [(one.claimed, one.stated) for one in compared.differences]


def test_another_value_of_the_same_kind_differs() -> None:
    assert differences("The hive holds 900 bees.", "A hive holds 60,000 bees.") == [
        ("900", "60,000")
    ]


def test_a_value_that_the_claim_gives_as_well_is_not_what_another_should_be() -> None:
    claim = "Born on January 23, 1918, she saw the crash of 1929."
    assert differences(claim, "She was born on January 23, 1918.") == []


@pytest.mark.parametrize("bound", ["more than", "over"])
def test_a_greater_value_makes_more_than_true(bound: str) -> None:
    assert differences(f"It weighs {bound} 80 tonnes.", "It weighs 82 tonnes.") == []
    assert differences(f"It weighs {bound} 90 tonnes.", "It weighs 82 tonnes.") == [
        ("90 tonnes", "82 tonnes")
    ]


def test_an_ordinal_after_a_year_is_no_duration() -> None:
    stated = "We look ahead to our fiscal 2022 second quarter after a strong first quarter."
    assert differences("Inflation persists in the second quarter.", stated) == []


def test_a_value_is_written_as_the_evidence_writes_it() -> None:
    compared = compare_values("It is on 3/14/2024.", ["It is on 14 March 2024."], tuple)
    assert compared.text == "It is on 14 March 2024."


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("He died in 1942.", "He was born on 8 January 1942."),
        ("He was born in December 1989.", "The birthday is on December 25."),
    ],
)
def test_a_date_is_not_rewritten_as_one_that_says_something_else(claim: str, line: str) -> None:
    compared = compare_values(claim, [line], tuple)
    assert compared.text == claim
    assert not compared.differences


def test_a_smaller_value_makes_less_than_true() -> None:
    assert differences("Refunds take less than 10 days.", "Refunds take 5 days.") == []
    assert differences("Return it within 60 days.", "Return it within 30 days.") == [
        ("60 days", "30 days")
    ]


def test_a_price_within_a_range_of_prices_does_not_differ() -> None:
    assert differences("Delivery costs $7.", "Delivery costs $5-$10.") == []
    assert differences("Delivery costs $12.", "Delivery costs $5-$10.") == [("$12", "$5-$10")]


def test_the_counterpart_of_a_wrong_value_is_the_one_that_is_said_of_the_same_thing() -> None:
    line = "Starter seats cost $12 per user, while an upgrade to Business seats costs $45 per user."
    assert differences("Business seats cost $30 per user.", line) == [
        ("$30 per user", "$45 per user")
    ]
