from __future__ import annotations

import pytest

from staytrue.core.quotes import locate

TEXT = "Coffee isn’t  tea.\nIt is 1,000 years old (they say)."


@pytest.mark.parametrize(("quote", "expected"), [
    ("Coffee", "Coffee"),
    ("coffee ISN'T tea", "Coffee isn’t  tea"),
    ("“tea. It is”", "tea.\nIt is"),
    ("(they say)", "(they say)"),
    ("1,000 years…", "1,000 years"),
])  # fmt: skip
def test_a_quote_is_found_whatever_its_case_spacing_and_marks(quote: str, expected: str) -> None:
    span = locate(quote, TEXT)
    assert span
    assert TEXT[slice(*span)] == expected


@pytest.mark.parametrize("quote", ["", "…", "offee", "Coff", "tea years", "milk"])
def test_what_is_no_stretch_of_whole_words_is_not_found(quote: str) -> None:
    assert locate(quote, TEXT) is None


def test_the_search_can_go_on_after_a_place() -> None:
    assert locate("a", "a b a", 1) == (4, 5)
