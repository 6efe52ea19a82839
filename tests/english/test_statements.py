"""Yes/no questions as statements."""

from __future__ import annotations

import pytest

from staytrue.english.statements import declare, short_form


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("do you have four dogs ?", "i have four dogs."),
        ("are you married?", "i am married."),
        ("were you poor when you were young?", "i was poor when i was young."),
        ("did you go to yale?", "i did go to yale."),
        ("have you ever been to rome?", "i have been to rome."),
        ("can you swim well?", "i can swim well."),
        ("is your favorite color blue?", "my favorite color is blue."),
        ("does your wife like to cook?", "my wife does like to cook."),
        ("do your parents support you?", "my parents support me."),
        ("is there a pool at your house?", "there is a pool at my house."),
        ("so , are you a nurse?", "i am a nurse."),
    ],
)
def test_a_yes_no_question_becomes_what_yes_would_say(question: str, statement: str) -> None:
    assert declare(question) == statement


def test_a_no_denies_it() -> None:
    assert declare("do you like tea?", negated=True) == "i do not like tea."
    assert declare("are you rich?", negated=True) == "i am not rich."


@pytest.mark.parametrize("question", ["where do you live?", "", "any pets?", "really?"])
def test_other_questions_have_no_statement(question: str) -> None:
    assert declare(question) is None


@pytest.mark.parametrize(
    ("question", "form"),
    [("do you sing?", "i do"), ("are you ok?", "i am"), ("is your dog old?", "it is"),
     ("are there dogs?", "there are"), ("where?", "")],
)  # fmt: skip
def test_agreeing_takes_the_auxiliary(question: str, form: str) -> None:
    assert short_form(question) == form
