"""Answers that word tricks get wrong: names and amounts are compared as what they are."""

from __future__ import annotations

import pytest

from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.protocols import Entailment
from staytrue.core.records import Example, Probe
from staytrue.metrics.hybrid.metric import Hybrid
from staytrue.plugins.registry import load_metric

DOGS = Probe("how many dogs do you have?", "two", "i have two dogs .", "wh")
BOSTON = Probe("where do you live?", "boston", "i live in boston .", "wh")
OSLO = Probe("do you live in oslo?", "yes", "i live in oslo .", "yn")
EMILY = Probe("what is your name?", "emily", "my name is emily .", "wh")
BUTTER = Probe("what do you sell?", "butter", "i sell butter .", "wh")
SMOKE = Probe("do you smoke?", "yes", "i smoke .", "yn")
NO_SMOKE = Probe("do you smoke?", "no", "i do not smoke .", "yn")
SCHOOL = Probe("what do you do?", "teacher", "i am a teacher .", "wh")
GYM = Probe("what sport do you do?", "gymnastics", "i do gymnastics .", "wh")

WRONG = [
    (DOGS, "Not two."),
    (DOGS, "Definitely not two."),
    (DOGS, "Not two, three."),
    (SMOKE, "Yes and no."),
    (NO_SMOKE, "No and yes."),
    (SMOKE, "Well, yes and no."),
    (EMILY, "Emily? That's my sister. I'm Laura."),
    (EMILY, "Emily? No, I'm Laura."),
    (EMILY, "i'm laura"),
    (EMILY, "emilio"),
    (BOSTON, "i live in bolton"),
    (BOSTON, "austin"),
    (BUTTER, "i sell butts"),
    (BUTTER, "buttons"),
    (OSLO, "yes, i live in bergen"),
    (OSLO, "yes , i live in bergen ."),
    (OSLO, "Yes, I do. I live in Trondheim."),
    (SCHOOL, "i teased people"),
]
RIGHT = [
    (DOGS, "Two."),
    (DOGS, "i've got two dogs"),
    (DOGS, "Two, not three."),
    (SMOKE, "Yes."),
    (NO_SMOKE, "no and i never will"),
    (SMOKE, "yes and i love it"),
    (EMILY, "Emily?"),
    (EMILY, "I'm Emily."),
    (EMILY, "Emily. My sister is Laura."),
    (BOSTON, "i live in boston"),
    (BOSTON, "Boston, of course."),
    (BUTTER, "i sell butter"),
    (OSLO, "yes, i live in oslo"),
    (OSLO, "yes, i live in norway"),
    (OSLO, "yes, i live in oslo with my brother"),
    (OSLO, "yes, i live in a small house"),
    (SCHOOL, "i teach"),
    (GYM, "gymnastics"),
]


def score(probe: Probe, response: str) -> float | None:
    """By the rules and a model that never objects."""
    backend = ScriptedBackend(entailments=lambda pair: Entailment(0.0, 1.0, 0.0))
    return Hybrid(backend).judge([Example("1", response, probe=probe)])[0].score


@pytest.mark.parametrize(
    ("probe", "response"), WRONG, ids=lambda x: x if isinstance(x, str) else ""
)
def test_wrong_answers_score_nothing(probe: Probe, response: str) -> None:
    assert score(probe, response) == 0.0


@pytest.mark.parametrize(
    ("probe", "response"), RIGHT, ids=lambda x: x if isinstance(x, str) else ""
)
def test_right_answers_keep_their_score(probe: Probe, response: str) -> None:
    assert score(probe, response) == 1.0


@pytest.mark.slow
def test_the_shipped_models_object_to_hardly_any_of_them() -> None:
    expected = [(case, 0.0) for case in WRONG] + [(case, 1.0) for case in RIGHT]
    examples = [
        Example(str(n), response, probe=probe)
        for n, ((probe, response), _) in enumerate(expected)
    ]  # fmt: skip
    verdicts = load_metric("hybrid").judge(examples)
    right = [verdict.score == score for verdict, (_, score) in zip(verdicts, expected, strict=True)]
    assert sum(right) >= len(right) - 1
