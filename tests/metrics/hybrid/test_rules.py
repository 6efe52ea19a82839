"""The symbolic rules of the hybrid evaluator."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.metrics.hybrid.rules import clean, echo, judge_wh, judge_yes_no


@pytest.mark.parametrize(
    ("response", "kept"),
    [
        ("They are called snow . Do you have hobbies?", "They are called snow."),
        ("a small town in ohio , you ?", "a small town in ohio."),
        ("i am paul . what 's yours ?", "i am paul."),
        ("no i do n't . how about you", "no i do not."),
        ("i like dogs and what do you like ?", "i like dogs."),
        ("what about you ?", ""),
        ("a dog ?", "a dog?"),
    ],
)  # fmt: skip
def test_questions_put_back_are_cut(response: str, kept: str) -> None:
    assert clean(response) == kept


@pytest.mark.parametrize(
    ("question", "response", "says"),
    [
        ("do you drink soda?", "i do not drink soda", False),
        ("do you have four dogs?", "i have 4 dogs", True),
        ("do you have four dogs?", "i have two dogs", None),
        ("do you smoke?", "i used to smoke", None),
        ("do you smoke?", "i quit smoking", None),
        ("are you single?", "i am not single", False),
        ("did you win a medal?", "i won a medal", True),
    ],
)
def test_repeating_the_question_answers_it(question: str, response: str, says: bool | None) -> None:
    assert echo(question, response) is says


@pytest.mark.parametrize(
    ("response", "rule", "score"),
    [
        ("", "empty", 0.0),
        ("what about you ?", "only-a-question", 0.0),
        ("i do . i drive a bmw", "short-answer-wrong", 0.0),
        ("no i do", "parts-disagree", 0.0),
        ("no , i drive a mercedes", "parts-disagree", 0.0),
        ("no", "short-answer-right", 1.0),
        ("i drive a mercedes", "echo-wrong", 0.0),
        ("i do not drive a mercedes", "echo-right", 1.0),
        ("who knows", "no-short-answer", None),
        ("i am not sure .", "no-short-answer", None),
        ("i do n't know", "no-short-answer", None),
        ("i drive a bmw", "no-short-answer", None),
        ("my car is german", "no-short-answer", None),
        ("not since i moved", "short-answer-right", 1.0),
    ],
)
def test_a_yes_no_answer_is_decided_by_a_named_rule(
    response: str, rule: str, score: float | None
) -> None:
    ruling = judge_yes_no("do you drive a mercedes?", "no", "i drive a bmw .", response)
    assert (ruling.rule, ruling.score) == (rule, score)


@pytest.mark.parametrize(
    ("response", "rule", "score"),
    [
        ("", "empty", 0.0),
        ("they are called winter", "recall", 0.5),
        ("winter and snow", "recall", 1.0),
        ("i don't remember", "no-keyword", 0.0),
        ("i love all animals", "no-keyword", 0.0),
        ("they are not called snow or winter", "denied", 0.0),
    ],
)
def test_a_wh_answer_is_decided_by_a_named_rule(response: str, rule: str, score: float) -> None:
    fact = "my cats are called snow and winter ."
    ruling = judge_wh("what are your cats called?", "snow and winter", fact, response)
    assert (ruling.rule, ruling.score) == (rule, score)


@pytest.mark.parametrize(
    ("response", "rule"),
    [("25", "number-right"), ("ten years", "number-wrong"), ("since 2010", "number-wrong")],
)
def test_a_number_is_right_or_wrong(response: str, rule: str) -> None:
    fact = "i have been married for twenty five years ."
    ruling = judge_wh("how long have you been married?", "twenty five years", fact, response)
    assert ruling.rule == rule


@pytest.mark.parametrize(
    ("fact", "truth", "response", "score"),
    [
        ("i love music from the 90s .", "the 90s", "the nineties", 1.0),
        ("i love music from the 90s .", "the 90s", "the eighties", 0.0),
        ("i have 2,500,000 fans .", "2,500,000", "two and a half million", 1.0),
    ],
)
def test_a_number_may_be_said_in_another_way(
    fact: str, truth: str, response: str, score: float
) -> None:
    assert judge_wh("which one?", truth, fact, response).score == score


@pytest.mark.parametrize(
    ("question", "truth", "fact", "response", "rule"),
    [
        ("what does your father do?", "police officer", "my dad is a police officer .",
         "my mom is a police officer", "someone-else"),
        ("what does your father do?", "farmer", "my dad is a farmer .", "i am a farmer",
         "someone-else"),
    ],
)  # fmt: skip
def test_someone_else_is_wrong(
    question: str, truth: str, fact: str, response: str, rule: str
) -> None:
    ruling = judge_wh(question, truth, fact, response)
    assert (ruling.rule, ruling.score) == (rule, 0.0)


CHATTER = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from("yes no i do not you ? . , and two 1,000 half a million my dog is".split()),
        max_size=12,
    ).map(" ".join),
)


@given(CHATTER, CHATTER, CHATTER, CHATTER)
def test_any_text_gets_a_ruling(question: str, truth: str, fact: str, response: str) -> None:
    for decide in (judge_yes_no, judge_wh):
        ruling = decide(question, truth, fact, response)
        assert ruling.rule
        assert ruling.score is None or 0 <= ruling.score <= 1
        assert ruling.score is not None or ruling.ask


@pytest.mark.parametrize("question", ["any pets?", "you married?", "", "isn't it?", "ever been?"])
def test_any_opening_of_a_question_works(question: str) -> None:
    assert judge_yes_no(question, "yes", "i am married .", "yes i am").score == 1.0
