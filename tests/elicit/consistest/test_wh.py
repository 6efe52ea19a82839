"""WH questions: generated, answered, shifted and filtered."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from staytrue.core.protocols import Answer, Query, Span, Target
from staytrue.elicit.consistest.wh import as_asked, leaves_room, wh_probes


class Models:
    """One span per text, the question and answer from a table."""

    def __init__(self, table: dict[str, tuple[str, str, str | None]]) -> None:
        self.table = table

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        by_text = []
        for text in texts:
            span = self.table[text][0]
            at = text.index(span)
            by_text.append([Span(span, at, at + len(span))])
        return by_text

    def ask(self, targets: Sequence[Target]) -> list[list[str]]:
        return [[self.table[target.text][1]] for target in targets]

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        return [Answer(self.table[query.passage][2]) for query in queries]


def outcome(statement: str, span: str, question: str, answer: str | None) -> str:
    candidates = wh_probes(
        [statement], Models({statement: (span, question, answer)}), source="persona"
    )
    if candidates[0].probes:
        return f"{candidates[0].probes[0].question} {candidates[0].probes[0].truth}"
    return candidates[0].drops[0].reason


def test_the_reader_s_span_is_the_truth_and_the_question_asks_the_agent() -> None:
    made = outcome("i have three sisters.", "three", "How many sisters do I have?", "three")
    assert made == "How many sisters do you have? three"


@pytest.mark.parametrize(
    ("statement", "span", "question", "answer", "reason"),
    [
        ("i live in ohio.", "ohio", "Where do I live?", None, "The reader finds no answer."),
        ("i live in ohio.", "ohio", "Where do I live?", "i", "The reader finds another answer."),
        ("i love cats.", "cats", "What do I love?", "cats", "It is too general."),
        ("i like to play chess.", "chess", "What do I like to play?", "chess",
         "The fact leaves room for other answers."),
        ("i am a nurse.", "nurse", "What am I?", "nurse", "It is too general."),
        ("i live in ohio.", "ohio", "I live in what?", "ohio",
         "It does not start with a question word."),
        ("i do not believe in god.", "god", "What do I not believe in?", "god",
         "The fact is negated."),
        ("paris is big.", "paris", "What is big?", "paris", "It does not ask about the agent."),
    ],
)  # fmt: skip
def test_each_drop_has_its_reason(
    statement: str, span: str, question: str, answer: str | None, reason: str
) -> None:
    assert outcome(statement, span, question, answer) == reason


@pytest.mark.parametrize(
    ("own", "asked"),
    [
        ("What am I employed by?", "What are you employed by?"),
        ("Where was I born?", "Where were you born?"),
        ("What is my name?", "What is your name?"),
        ("Who was my father?", "Who was your father?"),
    ],
)
def test_the_question_changes_person(own: str, asked: str) -> None:
    assert as_asked(own) == asked


def test_what_may_have_other_answers_is_told_from_what_may_not() -> None:
    assert leaves_room("What do you like to eat?")
    assert not leaves_room("What is your favorite food?")
    assert not leaves_room("How many dogs do you have?")
    assert not leaves_room("What do you wear to protect your head?")


def test_no_statements_give_no_probes() -> None:
    assert wh_probes([], Models({}), source="persona") == []
