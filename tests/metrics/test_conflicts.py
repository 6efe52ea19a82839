"""Clauses that speak of the same thing and differ in it are told by their words."""

from __future__ import annotations

import pytest

from staytrue.metrics.conflicts import clauses, conflicts


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("i am not a big fan of the universe .", "i am a big fan of the universe . it is amazing"),
        ("I do nt like horror movies", "Sure. I like horror movies!"),
        ("I'm in the army, and I love it.", "I was not in the army."),
        ("I live in Boston.", "well, i live in denver"),
        ("My favorite color is blue.", "My favorite color is red because it is warm."),
        ("I'm 35.", "I am 28 years old."),
        ("I'm a woman.", "I'm a man."),
        ("I have two dogs.", "I have three dogs."),
        ("The strokes have released five albums.", "The strokes have released six albums."),
    ],
)
def test_a_denial_or_another_value_is_a_conflict(first: str, second: str) -> None:
    assert len(conflicts(first, second)) == 1
    assert len(conflicts(second, first)) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I love the beatles.", "I love pizza."),  # one may love both
        ("I don't like horror movies.", "My sister likes horror movies."),  # somebody else
        ("I don't know much about it.", "I know that football is popular."),
        ("i am a fan of snakes", "i m not a big fan of his"),  # of whose?
        ("I have two dogs.", "I have three cats."),
        ("I live in Boston.", "I live in Boston with my wife."),
        ("You are a dog.", "You are not a dog."),  # said of the partner
        ("I would not live in Boston.", "I live in Boston."),
        ("I am so lonely.", "No I am lonely."),
        ("Do you like it?", ""),
    ],
)
def test_everything_else_is_none(first: str, second: str) -> None:
    assert conflicts(first, second) == []


def test_questions_and_what_is_left_open_are_no_clauses() -> None:
    assert clauses("Do you live in Rome? If I were rich I would live in Rome.") == ()
    assert [one.verb for one in clauses("I like tea, but I do not have any tea.")] == [
        "like",
        "have",
    ]
