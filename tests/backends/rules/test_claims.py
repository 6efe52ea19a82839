"""What a response claims, and which of its sentences claim nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.backends.rules.claims import RuleClaims

GOLDEN = Path(__file__).parents[2] / "golden"


def split(text: str) -> list[tuple[str, str]]:
    return [(claim.kind, claim.text) for claim in RuleClaims().claims([text])[0]]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("You're welcome! Have a great day.", ["greeting", "greeting"]),
        ("I couldn't find that in our documentation.", ["refusal"]),
        ("That's nice! What else did you see?", ["reaction", "question"]),
        ("I'm not sure, sorry.", ["refusal"]),
        ("i love chess .", ["opinion"]),
        ("Wow, that's so cool!", ["reaction"]),
        ("Great question! It opens at nine.", ["reaction", "statement"]),
        ("Our documentation does not mention a fee.", ["refusal"]),
    ],
)
def test_what_claims_nothing_is_told_apart(text: str, kinds: list[str]) -> None:
    assert [kind for kind, _ in split(text)] == kinds


@pytest.mark.parametrize(
    "text",
    [
        "The hive has 900 bees.",
        "It is not included in the price.",
        "You cannot return sale items.",
        "I have two dogs.",
        "There is no fee for transfers.",
        "The store does not open on Sundays.",
        "He hopes to retire in 2030.",
    ],
)
def test_plain_statements_are_never_taken_for_small_talk(text: str) -> None:
    assert split(text) == [("statement", text)]


def test_clauses_that_stand_alone_are_claims_of_their_own() -> None:
    assert split("A violin has four strings, and it is played with a bow.") == [
        ("statement", "A violin has four strings"),
        ("statement", "it is played with a bow."),
    ]
    assert split("i ' m not sure , but it was founded in 1990 .")[1][1] == (
        "it was founded in 1990 ."
    )


def test_openers_are_no_part_of_the_claim() -> None:
    assert split("Sure, the museum opens at nine.") == [
        ("statement", "the museum opens at nine."),
    ]
    assert split("did you know that mars has two moons ?") == [
        ("statement", "mars has two moons."),
    ]


def test_list_items_are_claims_and_headings_and_code_are_not() -> None:
    text = "Your plans:\n- Free has 2 GB of storage\n- Pro has 50 GB of storage\n```\nrun()\n```"
    assert [kind for kind, _ in split(text)] == ["heading", "statement", "statement", "code"]


@given(st.text(max_size=300))
def test_claims_stand_in_order_inside_the_text(text: str) -> None:
    (claims,) = RuleClaims().claims([text])
    places = [(claim.start, claim.end) for claim in claims]
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert places == sorted(places)


@pytest.mark.parametrize("name", ["everyday_seen", "everyday_blind"])
def test_refusals_and_greetings_of_everyday_cases_claim_nothing(name: str) -> None:
    rows = [json.loads(line) for line in (GOLDEN / f"{name}.jsonl").read_text("utf-8").splitlines()]
    silent = [row["response"] for row in rows if row["consistent"] is None]
    right = sum(all(kind != "statement" for kind, _ in split(text)) for text in silent)
    assert len(silent) == 10
    assert right >= {"everyday_seen": 10, "everyday_blind": 8}[name]
