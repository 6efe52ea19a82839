"""The question rules move the span to the front and keep the grammar of the clause."""

from __future__ import annotations

import pytest

from staytrue.backends.rules.questions import MOST_CANDIDATES, RuleQuestions, SpacySpans
from staytrue.core.protocols import Span, Target


def ask(text: str, answer: str) -> list[str]:
    known = {span.text: span for span in SpacySpans().spans([text])[0]}
    start = text.index(answer)
    span = known.get(answer, Span(answer, start, start + len(answer)))
    return RuleQuestions().ask([Target(text, span)])[0]


@pytest.mark.parametrize(
    ("text", "answer", "question"),
    [
        # the subject
        ("he became famous on youtube .", "he", "Who became famous on Youtube?"),
        ("they have poorer color vision .", "they", "Who has poorer color vision?"),
        ("The company was founded in 1894.", "The company", "What was founded in 1894?"),
        # the object, with do-support
        ("he owns miss universe .", "miss universe", "What does he own?"),
        ("i know paul mccartney left the group .", "the group", "What did Paul Mccartney leave?"),
        ("it has won 122 pulitzer prizes .", "122 pulitzer prizes", "What has it won?"),
        # the question word by kind
        ("it has won 122 pulitzer prizes .", "122", "How many Pulitzer prizes has it won?"),
        ("they formed in liverpool in 1960 .", "1960", "When did they form in Liverpool?"),
        ("they formed in liverpool in 1960 .", "liverpool", "Where did they form in 1960?"),
        ("it ' s been around since 2005 .", "2005", "Since when has it been around?"),
        ("she did an interview with elvis presley .", "elvis presley",
         "Who did she do an interview with?"),
        ("they signed with simon cowell ' s label .", "simon cowell ' s",
         "Whose label did they sign with?"),
        # out of embedded and relative clauses
        ("it forces the body to burn fats .", "fats", "What does it force the body to burn?"),
        ("there are habitats that are located in north america .", "north america",
         "Where are habitats located?"),
        ("they were sold to a company called sephora .", "sephora", "What was a company called?"),
        ("they were bred here and sold in england .", "england", "Where were they sold?"),
        # lists
        ("they are bred from bulldogs and boxers .", "boxers",
         "Along with bulldogs, what are they bred from?"),
    ],
)  # fmt: skip
def test_the_best_question(text: str, answer: str, question: str) -> None:
    assert ask(text, answer)[0] == question


def test_the_form_with_the_word_in_place_comes_last() -> None:
    assert ask("coffee has an effect on the mind .", "the mind") == [
        "What does coffee have an effect on?",
        "Coffee has an effect on what?",
    ]


def test_a_fragment_is_asked_about_in_place() -> None:
    assert ask("probably a quarter step or so .", "a quarter step")[-1].endswith("what or so?")


def test_there_are_at_most_five_different_candidates() -> None:
    text = "the band played in paris , london and rome in 1999 with two old friends ."
    spans = SpacySpans().spans([text])[0]
    for questions in RuleQuestions().ask([Target(text, span) for span in spans]):
        assert 1 <= len(questions) <= MOST_CANDIDATES
        assert len(set(questions)) == len(questions)
        assert all(question.endswith("?") for question in questions)


def test_a_span_outside_the_text_gets_no_question() -> None:
    assert RuleQuestions().ask([Target("short", Span("x", 80, 90))]) == [[]]
    assert RuleQuestions().ask([]) == []
