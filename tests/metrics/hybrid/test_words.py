"""Words compared: recall of keywords, and amounts that clash."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.metrics.hybrid.words import recall, values_clash


@pytest.mark.parametrize(
    ("truth", "response", "share"),
    [
        ("snow and winter", "they are called winter", 0.5),
        ("twenty one", "i am 21", 1.0),
        ("third grade", "3rd grade", 1.0),
        ("1992", "nineteen ninety two", 1.0),
        ("girl | female", "i am female", 1.0),
        ("firefighter", "a fire fighter", 1.0),
        ("dogs", "a dog", 1.0),
        ("dad", "with my father", 1.0),
        ("aerosmith", "metallica", 0.0),
        ("", "anything", 0.0),
    ],
)
def test_recall_is_the_share_of_keywords_said(truth: str, response: str, share: float) -> None:
    assert recall(truth, response) == share


@pytest.mark.parametrize(
    ("question", "truth", "response", "share"),
    [
        ("what wine do you drink ?", "red wine", "a wine from 2015", 0.0),
        ("what wine do you drink ?", "red wine", "red", 1.0),
        ("do you drink red wine or white wine ?", "red wine", "red wine", 1.0),
    ],
)
def test_a_word_of_the_question_is_no_part_of_the_answer_unless_there_is_no_other(
    question: str, truth: str, response: str, share: float
) -> None:
    assert recall(truth, response, question) == share


@given(st.text(), st.text(), st.text())
def test_recall_is_a_share(truth: str, response: str, question: str) -> None:
    assert 0 <= recall(truth, response, question) <= 1


@pytest.mark.parametrize(
    ("fact", "response", "clashes"),
    [
        ("i have two dogs", "i have four dogs", True),
        ("i have two dogs", "i have 2 big dogs", False),
        ("i have two dogs", "i have three cats", False),
        ("i own two vintage cars", "i love 1960s vintage cars", False),
        ("i am 24 years old", "i am thirty years old", True),
        ("my father is a farmer", "my father is tall", False),
    ],
)
def test_two_amounts_of_one_thing_clash(fact: str, response: str, clashes: bool) -> None:
    assert (values_clash(fact, response) is not None) is clashes
