"""Sentences are found in edited text and in dialogue alike, and no word is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.english.sentences import sentence_spans


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("i like cats . do you ?", ["i like cats .", "do you ?"]),
        ("It cost 3.5 dollars. Cheap.", ["It cost 3.5 dollars.", "Cheap."]),
        ("Dr. Smith came. He left.", ["Dr. Smith came.", "He left."]),
        ("J. K. Rowling wrote it.", ["J. K. Rowling wrote it."]),
        ("First line\nsecond line", ["First line", "second line"]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("wow ! !", ["wow ! !"]),
        ("", []),
        ("   ", []),
        ("...", ["..."]),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


@given(st.text(max_size=200))
def test_spans_are_in_order_and_only_space_lies_between_them(text: str) -> None:
    spans = sentence_spans(text)
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    for end, start in zip(ends, starts, strict=True):
        assert end <= start
        assert not text[end:start].strip()
