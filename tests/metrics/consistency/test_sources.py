"""What a response may be judged against, line by line."""

from __future__ import annotations

from staytrue.core.records import Example, Turn
from staytrue.metrics.consistency.sources import SOURCES, is_heading, lines_of

TABLE = "Prices\n\n| Plan | Monthly |\n|---|---|\n| Team | $119 |\n\nAll include support."


def test_rows_are_told_with_the_header_which_is_no_line_of_its_own() -> None:
    lines = lines_of(Example("1", "x", TABLE), ("knowledge",))
    assert [line.premise for line in lines] == [
        "Prices", "Team: Monthly $119.", "All include support.",
    ]  # fmt: skip
    assert [TABLE[line.start : line.end] for line in lines] == [line.text for line in lines]


def test_only_the_bots_own_statements_are_history() -> None:
    history = (Turn("user", "I am Ann."), Turn("bot", "I am Bo. And you?"))
    example = Example("1", "x", "", history, ("I like tea.",))
    lines = lines_of(example, SOURCES)
    assert [(line.source, line.text) for line in lines] == [
        ("history", "I am Bo."), ("persona", "I like tea."),
    ]  # fmt: skip


def test_a_heading_says_nothing_alone() -> None:
    assert is_heading("Opening hours")
    assert is_heading("# We are open all day.")
    assert not is_heading("We are open.")
    assert not is_heading("Sat: 09:00-13:00")
