"""Lines of a timetable are told as sentences, for the days that a claim is about."""

from __future__ import annotations

import pytest

from staytrue.core.records import Example
from staytrue.metrics.consistency.sources import Line, lines_of
from staytrue.metrics.consistency.timetables import for_claim

HOURS = ("Riverside branch", "Mon-Fri: 08:30-18:00", "Sat: 09:00-13:00", "Sun: closed")


def told(claim: str, *lines: str) -> list[str]:
    given = [Line("knowledge", line, 0, len(line)) for line in lines]
    return [line.premise for line in for_claim(claim, given)]


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("On Saturdays we are open from 9 to 1.", ["Saturday: open 09:00-13:00."]),
        ("We are closed on Sunday.", ["Sunday: closed."]),
        ("You can come on Tuesday.", ["Tuesday: open 08:30-18:00."]),
        ("At weekends we are closed.", ["Saturday: open 09:00-13:00.", "Sunday: closed."]),
        ("We open early.", ["Monday to Friday: open 08:30-18:00.", "Saturday: open 09:00-13:00.",
                            "Sunday: closed."]),
    ],
)  # fmt: skip
def test_a_claim_is_judged_by_the_lines_of_its_days(claim: str, expected: list[str]) -> None:
    assert told(claim, *HOURS) == ["Riverside branch", *expected]


@pytest.mark.parametrize("name", ["Wed", "Wed.", "Weds", "Wednesday", "Wednesdays"])
def test_a_day_may_be_shortened_as_anywhere(name: str) -> None:
    assert told("On Wednesday we close at 6.", f"{name}: 9:00-18:00") == [
        "Wednesday: open 9:00-18:00."
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Sunset is at 18:00.",
        "Monday is a holiday.",
        "Money: 5 euros",
        "Sat down at 9.",
        "Thus 9 pm",
        "",
    ],
)
def test_other_lines_stay_as_they_are(line: str) -> None:
    assert told("On Saturdays we are open.", line) == [line]


def test_days_may_pass_sunday() -> None:
    line = "Friday to Monday: 10:00 to 16:00."
    assert told("We are open on Sunday.", line) == ["Sunday: open 10:00 to 16:00."]
    assert told("We are open on Tuesday.", line) == []


def test_the_heading_says_what_is_open() -> None:
    knowledge = "Riverside branch\nMon-Fri: 08:30-18:00\nSat: 09:00-13:00"
    lines = lines_of(Example("1", "x", knowledge), ("knowledge",))
    assert [line.premise for line in for_claim("It is open on Saturdays.", lines)] == [
        "Riverside branch", "Riverside branch, Saturday: open 09:00-13:00.",
    ]  # fmt: skip
    below = lines_of(
        Example("1", "x", "Riverside branch\nWe are small.\nSat: 9-13"), ("knowledge",)
    )
    assert [line.heading for line in below] == ["", "Riverside branch", ""]
