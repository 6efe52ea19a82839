"""A value belongs to one entry of a list, and a claim names the entry by its words or weekday."""

from __future__ import annotations

import pytest

from staytrue.metrics.consistency.entries import misplaced

PLANS = (
    "Starter: Users up to 3, Billed monthly $49, Billed yearly $468.",
    "Team: Users up to 10, Billed monthly $119, Billed yearly $1,188.",
    "Business: Users up to 50, Billed monthly $239, Billed yearly $2,388.",
)
HOURS = ("Mon-Fri: 08:30-18:00", "Sat: 09:00-13:00", "Sun: closed")
EXTRAS = ("Extras: garage space, €18 a night; breakfast buffet, €14 a person; bike, €11 a day.",)


@pytest.mark.parametrize(
    ("claim", "lines", "expected"),
    [
        ("With yearly billing, the Team plan costs $2,388.", PLANS, ("$2,388", "$1,188")),
        ("The Team plan costs $1,188 with monthly billing.", PLANS, ("$1,188", "$119")),
        ("The Team plan costs $468 per year.", PLANS, ("$468 per year", "$1,188")),
        ("On Saturdays we are open from 8:30 to 18:00.", HOURS, ("8:30 to 18:00", "09:00-13:00")),
        ("On Saturdays we are open from 9 a.m. until 3 p.m.", HOURS,
         ("9 a.m. until 3 p.m.", "09:00-13:00")),
        ("A space in the garage is €14.", EXTRAS, ("€14", "€18 a night")),
    ],
)  # fmt: skip
def test_a_value_of_another_entry_is_misplaced(
    claim: str, lines: tuple[str, ...], expected: tuple[str, str]
) -> None:
    difference = misplaced(claim, lines)
    assert difference is not None
    assert (difference.claimed, difference.stated) == expected


@pytest.mark.parametrize(
    ("claim", "lines"),
    [
        ("With yearly billing, the Team plan costs $1,188.", PLANS),
        # The words name no entry, or two of them alike.
        ("It costs $119.", PLANS),
        ("The plan with yearly billing costs $468.", PLANS),
        ("On Tuesdays we are open from 8:30 to 18:00.", HOURS),
        ("On Saturdays you can come at 10:00.", HOURS),
        ("On Sundays we are open from 9:00 to 13:00.", HOURS),
        ("A space in the garage is €18.", EXTRAS),
        # Whose price is which is not told by the words alone.
        ("The garage is €14 and breakfast is €18.", EXTRAS),
        ("We love plans.", PLANS),
        ("The Team plan costs $119.", ()),
    ],
)
def test_what_may_be_meant_otherwise_is_left_to_the_model(
    claim: str, lines: tuple[str, ...]
) -> None:
    assert misplaced(claim, lines) is None
