"""The scripted backend says what the script says, and something sensible otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.protocols import (
    Answer,
    Backend,
    Entailment,
    Grounding,
    Pair,
    Query,
    Span,
    Target,
)


def test_it_can_be_made_without_arguments_and_offers_every_method() -> None:
    backend = ScriptedBackend()
    assert isinstance(backend, Backend)
    assert all(callable(getattr(backend, method)) for method in backend.models())


def test_a_mapping_answers_what_it_knows_and_the_rules_the_rest() -> None:
    known = Query("who?", "anything")
    backend = ScriptedBackend(answers={known: Answer("me")})
    asked = backend.answer([known, Query("cats are what?", "cats are small.")])
    assert [answer.text for answer in asked] == ["me", "small"]


def test_a_function_answers_everything() -> None:
    backend = ScriptedBackend(entailments=lambda pair: Entailment(1.0, 0.0, 0.0))
    assert backend.infer([Pair("a", "not b")])[0].label == "entailment"


def test_questions_made_by_default_are_answered_by_the_text_they_come_from() -> None:
    backend = ScriptedBackend()
    text = "coffee was found in Yemen ."
    spans = backend.spans([text])[0]
    for span, questions in zip(spans, backend.ask([Target(text, s) for s in spans]), strict=True):
        assert backend.answer([Query(questions[0], text)])[0].text == span.text


@pytest.mark.parametrize(
    ("premise", "hypothesis", "label"),
    [
        ("cats are small animals", "cats are small", "entailment"),
        ("cats are small", "cats are not small", "contradiction"),
        ("cats are small", "dogs are big", "neutral"),
    ],
)
def test_entailment_by_words(premise: str, hypothesis: str, label: str) -> None:
    assert ScriptedBackend().infer([Pair(premise, hypothesis)])[0].label == label


def test_class_probabilities_sum_to_one() -> None:
    classes = ScriptedBackend().classify([Grounding("a b", "", "a c"), Grounding("", "", "")])
    assert all(sum(c.values()) == pytest.approx(1) for c in classes)


def test_vectors_have_length_one_and_do_not_depend_on_the_batch() -> None:
    backend = ScriptedBackend()
    both = backend.encode(["one two", "two"])
    assert np.allclose(np.linalg.norm(both[0], axis=1), 1)
    assert np.array_equal(both[0][1], both[1][0])
    assert backend.encode([""])[0].shape[0] == 0


def test_spans_have_true_offsets() -> None:
    text = "in 1960 , liverpool"
    assert ScriptedBackend().spans([text])[0] == [
        Span("1960", 3, 7, "chunk"),
        Span("liverpool", 10, 19, "chunk"),
    ]
