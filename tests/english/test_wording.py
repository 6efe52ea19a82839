"""Contractions, sentences and questions in chat text."""

from __future__ import annotations

import pytest

from staytrue.english.statements import declare
from staytrue.english.wording import QUESTION_OPENERS, expand, is_question, join, statements
from staytrue.english.words import sentences


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("i 'm not sure", "i am not sure"),
        ("i do n't know", "i do not know"),
        ("i’ve a dog", "i have a dog"),
        ("dont cant wont", "do not can not will not"),
        ("it's been great", "it has been great"),
        ("it's great", "it is great"),
        ("i'd love to", "i would love to"),
        ("i'd been there", "i had been there"),
        ("my dog's name", "my dog's name"),
        ("hi , there !", "hi, there!"),
        ("", ""),
    ],
)
def test_contractions_are_written_out(text: str, full: str) -> None:
    assert expand(text) == full


def test_a_decimal_point_does_not_end_a_sentence() -> None:
    assert sentences("it costs 3.50 dollars . ok ? yes!") == [
        "it costs 3.50 dollars .",
        "ok ?",
        "yes!",
    ]


@pytest.mark.parametrize(
    "sentence",
    ["do you like it", "what do you do for fun", "how about you ?", "so what are you up to"],
)
def test_questions_are_told_with_or_without_a_mark(sentence: str) -> None:
    assert is_question(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "i do not know",
        "when i grow up i want to be a dog",
        "what i like is pizza",
        "have a nice day",
    ],
)
def test_statements_are_not_questions(sentence: str) -> None:
    assert not is_question(sentence)


def test_statements_leave_the_questions_out() -> None:
    assert statements("i have two cats . do you have pets ?") == ["i have two cats ."]


def test_tokens_join_as_they_are_written() -> None:
    assert join(["my", "mom", "'s", "cat", ",", "(", "tom", ")", "."]) == "my mom's cat, (tom)."


@pytest.mark.parametrize("opener", sorted(QUESTION_OPENERS))
def test_what_stands_before_a_question_does_not_hide_it(opener: str) -> None:
    assert is_question(f"{opener} do you sing")
    assert declare(f"{opener}, do you sing?") == "i sing."
