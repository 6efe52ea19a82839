"""Citations name passages; other brackets are part of the text."""

from __future__ import annotations

import pytest

from staytrue.core.records import Passage
from staytrue.metrics.consistency.citations import cited

PASSAGES = (Passage(0, 5, "faq-1", "One"), Passage(6, 9, "https://x.example/docs/two"))


@pytest.mark.parametrize(
    ("text", "plain", "numbers"),
    [
        ("It is free [1].", "It is free.", (0,)),
        ("It is free [doc 2].", "It is free.", (1,)),
        ("It is free [1, 2].", "It is free.", (0, 1)),
        ("It is free (source: faq-1).", "It is free.", (0,)),
        ("It is [free](https://x.example/docs/two).", "It is free.", (1,)),
        ("It is free [3].", "It is free.", (2,)),  # a passage that there is not
        ("It is free [doc 7].", "It is free.", (6,)),
        ("It is free [1, 7].", "It is free.", (0, 6)),
        ("It is free [1, 2019].", "It is free [1, 2019].", ()),
        ("It is free (doc 7).", "It is free (doc 7).", ()),
        ("It is free (Source: [1]).", "It is free.", (0,)),
        ("It is free [sic].", "It is free [sic].", ()),
        ("It is free (for now).", "It is free (for now).", ()),
    ],
)
def test_citations_are_taken_out(text: str, plain: str, numbers: tuple[int, ...]) -> None:
    assert cited(text, PASSAGES) == (plain, numbers)


def test_a_passage_may_be_called_by_a_number_beyond_the_others() -> None:
    assert cited("It is free [7].", (Passage(0, 5, "7"),)) == ("It is free.", (0,))


def test_without_passages_nothing_is_cited() -> None:
    assert cited("It is free [1].", ()) == ("It is free [1].", ())
