"""Short answers to yes/no questions, polite and indirect ones included."""

from __future__ import annotations

import pytest

from staytrue.english.yes_no import read_short_answer, truth_polarity


@pytest.mark.parametrize(
    "response",
    ["yes", "Yeah !", "yep , 2 dogs", "i do", "i'm", "they are .", "of course", "i sure do",
     "she does", "well yeah , i guess so", "very much so", "sometimes i do", "there is"],
)  # fmt: skip
def test_these_say_yes(response: str) -> None:
    short = read_short_answer(response)
    assert short is not None
    assert short.polarity
    assert short.agrees


@pytest.mark.parametrize(
    "response",
    ["no", "Nope .", "i don't", "i 'm not", "not really", "i wish", "never", "i haven't",
     "of course not", "not anymore", "oh no , i hate it", "i'm afraid not", "they are n't",
     "far from it", "lol no", "no. never.", "not one bit"],
)  # fmt: skip
def test_these_say_no(response: str) -> None:
    short = read_short_answer(response)
    assert short is not None
    assert not short.polarity
    assert short.agrees


@pytest.mark.parametrize(
    "response",
    ["i am a plumber", "i do not like chicken", "no problem", "right now i live in ohio",
     "a lot of dogs", "my dog is brown", "no one knows", "i am not sure .",
     "i'm not sure", "i do not know", "i am so happy", ""],
)  # fmt: skip
def test_these_are_no_short_answers(response: str) -> None:
    assert read_short_answer(response) is None


def test_parts_that_disagree_are_seen() -> None:
    short = read_short_answer("yes i do not")
    assert short is not None
    assert not short.agrees


def test_liking_depends_on_the_question() -> None:
    for question, polarity in (("do you like school?", False), ("do you hate school?", True)):
        short = read_short_answer("i hate it", question)
        assert short is not None
        assert short.polarity is polarity


@pytest.mark.parametrize(
    ("response", "rest"),
    [
        ("no , i am a student", "i am a student"),
        ("yes i do . i have two", "i have two"),
        ("never been there", "never been there"),
        ("not at all , been married for years", "been married for years"),
        ("yes !", ""),
    ],
)
def test_the_long_answer_is_what_follows(response: str, rest: str) -> None:
    short = read_short_answer(response)
    assert short is not None
    assert short.rest == rest


@pytest.mark.parametrize(
    ("truth", "polarity"),
    [("yes", True), ("no | the pay sucks", False), ("i do not", False), ("i've", True),
     ("not one day in her life", False), ("super fast", None), ("i do not like people", False)],
)  # fmt: skip
def test_a_truth_is_yes_or_no_or_neither(truth: str, polarity: bool | None) -> None:
    assert truth_polarity(truth) is polarity


@pytest.mark.parametrize("reply", ["yes and no", "Well, yes and no.", "no, or yes!", "yes but no"])
def test_yes_and_no_are_two_answers_that_disagree(reply: str) -> None:
    short = read_short_answer(reply)
    assert short is not None
    assert not short.agrees


@pytest.mark.parametrize("reply", ["yes and no one knows", "no and i never will", "yes and it is"])
def test_and_alone_takes_nothing_back(reply: str) -> None:
    short = read_short_answer(reply)
    assert short is not None
    assert short.agrees


@pytest.mark.parametrize("question", ["Did you smoke?", "Didn't you smoke?"])
def test_i_used_to_is_a_yes_to_what_somebody_did(question: str) -> None:
    given = read_short_answer("I used to.", question)
    assert given is not None
    assert given.polarity
