"""The guard's benchmark asks what it says it asks."""

from __future__ import annotations

from benchmarks.guard import WORDS, Series, question

from staytrue.integrations.guard import Ruling


def test_each_question_has_its_own_knowledge_of_300_words_and_two_sentences() -> None:
    asked = [question(number) for number in range(20)]
    assert len({knowledge for knowledge, _ in asked}) == 20
    assert {len(knowledge.split()) for knowledge, _ in asked} == {WORDS}
    assert {answer.count(". ") for _, answer in asked} == {1}


def test_the_answers_are_in_the_knowledge() -> None:
    knowledge, answer = question(0)
    days = answer.split(" within ")[1].split(" days")[0]
    assert f"within {days} days of delivery" in knowledge


def test_unjudged_answers_are_counted() -> None:
    rulings = Ruling("passed", 1.0, "", 0.1), Ruling("unjudged", None, "", 2.0)
    assert str(Series(rulings, 1.0)) == (
        "median 1050 ms, p95 2000 ms, 2.0 answers/s, 1 of 2 unjudged"
    )
