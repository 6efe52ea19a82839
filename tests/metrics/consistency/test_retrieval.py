"""The lines that share rare words with a claim come first."""

from __future__ import annotations

from staytrue.core.records import Example, Turn
from staytrue.metrics.consistency.retrieval import Index
from staytrue.metrics.consistency.sources import lines_of


def index(text: str) -> Index:
    return Index.of(lines_of(Example("1", "r", text), ("knowledge",)))


def test_the_line_with_the_rare_words_is_nearest() -> None:
    lines = index("The shop is open. The shop sells violins. The shop is in Rome.")
    assert [line.text for line in lines.nearest("They sell violins in the shop.", 1)] == [
        "The shop sells violins.",
    ]


def test_a_heading_is_never_the_nearest_line() -> None:
    text = "Riverside branch\nOpening hours of the branch are listed here.\nSat: 09:00-13:00"
    nearest = [line.text for line in index(text).nearest("The Riverside branch is open.", 3)]
    assert nearest[0] == "Opening hours of the branch are listed here."
    assert nearest[-1] == "Riverside branch"


def test_lines_keep_their_place_in_the_knowledge() -> None:
    text = "One is here.\nTwo is there."
    for line in index(text).lines:
        assert text[line.start : line.end] == line.text


def test_values_of_the_source_are_found_once() -> None:
    lines = index("It costs $20. It opens at 9 a.m.")
    assert [value.kind for value in lines.values] == ["money", "time"]
    assert lines.values is lines.values


def test_the_bots_own_turns_are_lines_and_its_questions_are_not() -> None:
    history = (Turn("bot", "I own cats. Do you?"), Turn("user", "I own dogs."))
    lines = lines_of(Example("1", "r", history=history, persona=("i am bob",)),
                     ("history", "persona"))  # fmt: skip
    assert [(line.source, line.text) for line in lines] == [
        ("history", "I own cats."), ("persona", "i am bob"),
    ]  # fmt: skip
