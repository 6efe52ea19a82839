"""Text in other languages is told from English, and English never from itself."""

from __future__ import annotations

import json

import pytest
from tests.conftest import REPOSITORY

from staytrue.english.language import is_foreign


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Coffee is a drink made from the roasted beans that you grind in the morning.", False),
        ("Kaffee ist ein Getränk aus Bohnen, das wir in der Früh mit Milch trinken.", True),
        ("Koffie is een drank die van bonen wordt gemaakt of van iets anders, en we.", True),
        ("El café es una bebida hecha de granos tostados y no me gusta a mí", True),
        ("咖啡是由烘焙过的咖啡豆制成的饮料。", True),
        ("Кофе — напиток из жареных зёрен.", True),
        ("Kaffee ist gut.", None),
        ("", None),
    ],
)
def test_another_language_is_seen_where_the_text_is_long_enough(
    text: str, expected: bool | None
) -> None:
    assert is_foreign(text) is expected


@pytest.mark.parametrize("name", ["grounded", "probes", "inquiries"])
def test_no_example_that_we_ship_is_called_foreign(name: str) -> None:
    rows = (REPOSITORY / "examples" / f"{name}.jsonl").read_text("utf-8").splitlines()
    for row in map(json.loads, rows):
        assert is_foreign(f"{row.get('knowledge', '')} {row['response']}") is not True, row["id"]
