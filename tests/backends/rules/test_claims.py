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
        ("i love chess .", ["personal"]),
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


@pytest.mark.parametrize("marker", ["-", "*", "+", "•", "▪", "12.", "3)", "[x]"])
def test_the_marker_of_an_item_is_no_part_of_its_claim(marker: str) -> None:
    assert split(f"{marker} Parking is free.") == [("statement", "Parking is free.")]


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


@pytest.mark.parametrize(
    "text",
    [
        "At Terminal 2, you can leave your laptop in your bag.",
        "If the order is late, you get your money back.",
        "Once it is charged, it plays for twelve hours.",
    ],
)
def test_what_leads_in_a_statement_is_no_claim_of_its_own(text: str) -> None:
    assert split(text) == [("statement", text)]


def test_just_so_you_know_opens_a_claim() -> None:
    assert split("Just so you know, I don't eat meat.") == [("personal", "I don't eat meat.")]


@given(st.text(max_size=120))
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


def test_the_rows_of_a_table_are_claims_told_with_their_headings() -> None:
    text = "| Fare | Checked bags |\n|---|---|\n| Light | 0 |\n| Flex | 2 |"
    (claims,) = RuleClaims().claims([text])
    assert [(claim.kind, claim.text) for claim in claims[1:]] == [
        ("statement", "Light: Checked bags 0."),
        ("statement", "Flex: Checked bags 2."),
    ]
    assert claims[0].kind == "heading"
    assert text[claims[2].start : claims[2].end] == "| Flex | 2 |"


@pytest.mark.parametrize(
    ("text", "kind"),
    [("Happy shopping!", "greeting"), ("Happy to explain!", "greeting"),
     ("I'm happy to confirm that returns are free.", "statement")],
)  # fmt: skip
def test_kind_words_are_no_claims_but_what_they_introduce_is(text: str, kind: str) -> None:
    assert [claim.kind for claim in RuleClaims().claims([text])[0]] == [kind]


def test_members_of_a_list_are_claims_that_point_to_their_words() -> None:
    text = "Sure, the standard rate includes breakfast and parking. Bye!"
    (claims,) = RuleClaims().claims([text])
    assert [(claim.text, text[claim.start : claim.end]) for claim in claims] == [
        ("The standard rate includes breakfast.", "breakfast"),
        ("The standard rate includes parking.", "parking"),
        ("Bye!", "Bye!"),
    ]


def test_a_sentence_that_cites_stays_whole() -> None:
    text = "The standard rate includes breakfast and parking [1]."
    (claims,) = RuleClaims().claims([text])
    assert [claim.text for claim in claims] == [text]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("i know a lot about him .", "personal"),
        ("I've never heard of them.", "personal"),
        ("i ' ve never heard of that .", "personal"),
        ("i havent heard of them", "personal"),
        ("ive never been there", "personal"),
        ("You're right!", "personal"),
        ("I think you're right!", "personal"),
        ("it took me a while to get used to it .", "personal"),
        # What a business says it did or offers is a claim about the business.
        ("I've refunded your order.", "statement"),
        ("I can offer you a discount.", "statement"),
        ("I remember that the shop opens at nine.", "statement"),
        ("I've never noticed that the shop opens late.", "statement"),
        ("I have been a fan since 1963.", "statement"),
    ],
)
def test_what_speakers_say_of_themselves_is_told_apart(text: str, kind: str) -> None:
    assert split(text) == [(kind, text)]


def test_knowing_something_opens_a_claim_and_knowing_of_it_does_not() -> None:
    assert split("i do know that it was published late .") == [
        ("statement", "it was published late .")
    ]
    assert split("i know james cameron directed it .") == [
        ("statement", "james cameron directed it .")
    ]


@pytest.mark.parametrize(
    "lead",
    ["Sorry", "I'm sorry", "Great question", "Let me explain", "Oh", "No problem", "You're welcome",
     "Happy to help", "Hope this helps", "Thanks for asking", "I'm not able to help"],
)  # fmt: skip
def test_what_follows_a_polite_word_is_claimed(lead: str) -> None:
    assert ("statement", "refunds take 90 days.") in split(f"{lead}, refunds take 90 days.")


@pytest.mark.parametrize(
    "text",
    ["I'm sorry, I couldn't find that in the documents.", "Sorry, I don't know.",
     "Based on the provided context, I cannot answer this question.",
     "Unfortunately, I don't have that information.", "No information available.",
     "As an AI language model, I can't do that."],
)  # fmt: skip
def test_refusals_of_language_models_are_refusals(text: str) -> None:
    assert [kind for kind, _ in split(text)] == ["refusal"]


@pytest.mark.parametrize(
    "text",
    ["Great white sharks live in the sea.", "Good soil holds water.", "Welcome drinks are free."],
)
def test_a_word_of_praise_may_begin_a_statement(text: str) -> None:
    assert split(text) == [("statement", text)]


def test_a_letter_begins_and_ends_without_a_claim() -> None:
    text = "Dear Ms. Smith,\nRefunds take 5 days.\n\nKind regards,\nThe Support Team"
    assert [kind for kind, _ in split(text)] == ["greeting", "statement", "greeting", "greeting"]


@pytest.mark.parametrize("between", [" [1] ", "[1] "])
def test_a_citation_behind_the_full_stop_belongs_to_its_sentence(between: str) -> None:
    parts = split(f"Refunds take 5 days.{between}We open at 9 am. [2]")
    assert [text for _, text in parts] == [
        f"Refunds take 5 days.{between.rstrip()}",
        "We open at 9 am. [2]",
    ]
    assert [kind for kind, _ in split("Refunds take 5 days.\n\nSources: [1], [2]")] == [
        "statement",
        "heading",
    ]


def test_citations_without_a_space_cut_every_sentence_in_its_place() -> None:
    text = "Refunds take 5 days.[1] We open at 9.[2][3]  Parking is free.[4] Dogs are welcome."
    (claims,) = RuleClaims().claims([text])
    assert [text[claim.start : claim.end] for claim in claims] == [
        "Refunds take 5 days.[1]", "We open at 9.[2][3]",
        "Parking is free.[4]", "Dogs are welcome.",
    ]  # fmt: skip


def test_an_item_in_bold_letters_is_claimed_and_a_heading_is_not() -> None:
    text = "Please bring:\n\n1. **Passport**\n2. **Notes:**\n\n**Prices**"
    (claims,) = RuleClaims().claims([text])
    assert [(claim.text, claim.kind) for claim in claims] == [
        ("Please bring:", "heading"), ("**Passport**", "statement"), ("**Notes:**", "heading"),
        ("**Prices**", "heading"),
    ]  # fmt: skip
