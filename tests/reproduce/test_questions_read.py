"""Questions of two generators: what survives the round trip, and what was read of them."""

from __future__ import annotations

from collections.abc import Sequence

from reproduce import questions_read
from reproduce.readings import read

from staytrue.core.protocols import Answer, Query, Span, Target

TEXT = "Marie lives in Boston."
BOSTON = Target(TEXT, Span("Boston", 15, 21, "entity", "GPE"))


class Backend:
    """Asks what it is told to, and answers "Boston" where it is asked for a place."""

    def __init__(self, *questions: str) -> None:
        self.questions = questions

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        return [[BOSTON.span] if "Boston" in text else [] for text in texts]

    def ask(self, targets: Sequence[Target]) -> list[list[str]]:
        return [list(self.questions) for _ in targets]

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        return [Answer("Boston" if q.question.startswith("Where") else None) for q in queries]


def test_the_first_question_that_the_response_answers_with_the_span_survives() -> None:
    assert questions_read.survivor(Backend("Who?", "Where is she?", "Where?"), BOSTON) == (
        "Where is she?"
    )
    assert questions_read.survivor(Backend("Who?"), BOSTON) is None
    assert questions_read.survivor(Backend(), BOSTON) is None


def test_every_generator_gets_a_row_for_every_target() -> None:
    backends = {"one": Backend("Where?"), "two": Backend("Who?")}
    rows = list(questions_read.drawn(backends, [BOSTON]))
    assert [(row["by"], row["question"]) for row in rows] == [("one", "Where?"), ("two", None)]
    assert {row["span"] for row in rows} == {"Boston"}


def test_spans_are_drawn_once_a_response_by_the_seed() -> None:
    responses = [TEXT, TEXT, "Hello.", *(f"{n} people live in Boston." for n in range(9))]
    targets = questions_read.targets(responses, Backend(), 5, seed=1)
    assert len({target.text for target in targets}) == 5
    assert targets == questions_read.targets(responses, Backend(), 5, seed=1)
    assert targets != questions_read.targets(responses, Backend(), 5, seed=2)
    assert len(questions_read.targets(responses, Backend(), 99, seed=1)) == 10


def test_figures_count_spans_without_a_question_against_the_generator() -> None:
    rows = [
        {"by": "one", "question": "Where?", "appropriate": True, "again": True},
        {"by": "one", "question": "Who?", "appropriate": False, "again": False},
        {"by": "one", "question": None, "appropriate": None},
        {"by": "one", "question": None, "appropriate": None},
    ]
    text = questions_read.figures(rows)
    assert "| one | 4 | 0.500 [" in text
    assert "| 0.250 [" in text
    assert "2 questions were read a second time, in another order; Cohen's κ = 1.00." in text


def test_the_page_is_that_of_the_stored_readings() -> None:
    rows = read(questions_read.READ)
    assert questions_read.PAGE.read_text("utf-8") == questions_read.page(rows)
    assert all((row["appropriate"] is None) == (row["question"] is None) for row in rows)
    asked = [row for row in rows if row["question"]]
    assert sum(row.get("again") is not None for row in asked) >= len(asked) // 3


def test_another_generator_is_asked_about_the_spans_of_the_page() -> None:
    rows = [{"response": TEXT, "span": "Boston"}, {"response": TEXT, "span": "Marie"}] * 2
    spans = questions_read.spans_of(rows)
    assert [(one.span.start, one.span.end) for one in spans] == [(15, 21), (0, 5)]
    assert all(one.text[one.span.start : one.span.end] == one.span.text for one in spans)
