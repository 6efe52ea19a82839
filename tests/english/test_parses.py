"""Tidying makes messy text readable and always knows the way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.english.parses import noun_chunks, parsed, tidy


@pytest.mark.parametrize(
    ("messy", "neat"),
    [
        ("i ' m not sure , but they ' ve left .", "I'm not sure, but they've left."),
        ("i don ' t know . he does n't .", "I don't know. He doesn't."),
        ("popular in the 1980 ' s", "Popular in the 1980s"),
        ('the word " travail " is french', 'The word "travail" is French'),
        ("about 5 . 7 million or 1 , 000 nm .", "About 5.7 million or 1,000 nm."),
        ("2 - 3 % ( a catch - up ) .", "2-3% (a catch-up)."),
        ("born in new jersey .", "Born in New Jersey."),
        ("I love Paris , in may", "I love Paris, in may"),
    ],
)
def test_spaced_punctuation_closes_and_capitals_return(messy: str, neat: str) -> None:
    assert tidy(messy).text == neat


def test_a_stretch_of_the_tidy_text_points_into_the_original() -> None:
    text = "he was popular in the 1980 ' s ."
    tidied = tidy(text)
    start = tidied.text.index("1980s")
    assert text[slice(*tidied.to_original(start, start + 5))] == "1980 ' s"


@given(st.text(alphabet="ab i'I.,-\"\t\n0é ß", max_size=60))
def test_every_character_keeps_its_place(text: str) -> None:
    tidied = tidy(text)
    assert len(tidied.text) == len(tidied.origins)
    for shown, origin in zip(tidied.text, tidied.origins, strict=True):
        assert shown.lower() == text[origin].lower() or text[origin].isspace()


@given(st.text(alphabet="ab i'.,- \"", min_size=1, max_size=40), st.data())
def test_mapping_back_and_forth_returns(text: str, data: st.DataObject) -> None:
    tidied = tidy(text)
    if not tidied.text:
        return
    start = data.draw(st.integers(0, len(tidied.text) - 1))
    end = data.draw(st.integers(start + 1, len(tidied.text)))
    assert tidied.from_original(*tidied.to_original(start, end)) == (start, end)


@pytest.mark.parametrize(
    "text",
    [
        "I like apples, pears and plums, and Ann has a red car.",
        "The old man gave the boy with a hat two books or a pen.",
        "It is hard to say who they were: Tom, a baker, and his wife.",
        "Here are the steps: - Plug the repeater in near the router. - Press WPS on the router.",
    ],
)
def test_noun_phrases_are_those_of_spacy(text: str) -> None:
    (parse,) = parsed([text])
    ours = [(chunk.start, chunk.end) for chunk in noun_chunks(parse.doc)]
    assert ours == [(chunk.start, chunk.end) for chunk in parse.doc.noun_chunks]
