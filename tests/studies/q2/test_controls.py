"""Controls give responses knowledge that is not theirs and count what is still answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

import pytest

from staytrue.core.errors import RunError
from staytrue.core.records import Evidence, Example, Verdict
from staytrue.plugins.registry import load_metric
from staytrue.studies.q2.controls import (
    figures,
    length_correlation,
    lengths,
    measure,
    with_random_knowledge,
)

EXAMPLES = [
    Example("a", "one two", "k1", consistent=True, tags={"context": "7-0"}),
    Example("b", "one", "k2", consistent=False, tags={"context": "7-1"}),
    Example("c", "one two three", "k3", tags={"context": "8-0"}),
]


def test_knowledge_of_the_same_dialogue_is_of_another_turn() -> None:
    changed = with_random_knowledge(EXAMPLES, "same dialogue")
    assert [(e.id, e.knowledge) for e in changed] == [("a", "k2"), ("b", "k1")]


def test_knowledge_of_another_dialogue_comes_from_elsewhere() -> None:
    changed = {e.id: e.knowledge for e in with_random_knowledge(EXAMPLES, "other dialogue")}
    assert changed["a"] == changed["b"] == "k3"
    assert changed["c"] in ("k1", "k2")


def test_the_choice_repeats_by_seed_and_does_not_depend_on_the_order() -> None:
    once = {e.id: e for e in with_random_knowledge(EXAMPLES, "other dialogue", seed=5)}
    again = {e.id: e for e in with_random_knowledge(EXAMPLES[::-1], "other dialogue", seed=5)}
    assert once == again


def test_figures_count_questions_and_unanswered_ones() -> None:
    asked = (
        Evidence("question", "q?", label="no answer"),
        Evidence("question", "p?", label="match"),
    )
    verdicts = [
        Verdict("a", "q2", 0.5, evidence=asked),
        Verdict("b", "q2", 1.0, evidence=(Evidence("dropped", "d?"),)),
        Verdict("c", "q2", None),
    ]
    table = figures(verdicts)
    assert (table.responses, table.questions, table.covered) == (3, 2, 1)
    assert (table.unanswered, table.score, table.question_score) == (0.5, 0.75, 0.5)
    assert figures([]).unanswered is None


def test_lengths_by_human_judgement() -> None:
    by_group = {group.group: group.tokens for group in lengths(EXAMPLES)}
    assert by_group == {"consistent": 2.0, "inconsistent": 1.0, "not judged": 3.0}


def test_a_score_that_follows_length_is_found_out() -> None:
    verdicts = [Verdict(e.id, "m", len(e.response.split()) / 3) for e in EXAMPLES]
    assert length_correlation(EXAMPLES, verdicts) == 1.0


def test_examples_that_share_an_id_keep_their_own_lengths() -> None:
    examples = [Example("a", "one"), Example("a", "one two"), Example("a", "one two three")]
    verdicts = [Verdict("a", "m", score) for score in (0.1, 0.2, 0.3)]
    assert length_correlation(examples, verdicts) == pytest.approx(1.0)


def test_a_metric_is_measured_with_each_kind_of_knowledge() -> None:
    controls = measure(EXAMPLES, load_metric("overlap"))
    assert {kind: f.responses for kind, f in controls.knowledge.items()} == {
        "own": 3, "same dialogue": 2, "other dialogue": 3,
    }  # fmt: skip
    assert controls.to_json()["signature"] == controls.signature


def test_a_response_that_cannot_be_judged_ends_the_measuring() -> None:
    def judge(examples: Sequence[Example]) -> list[Verdict]:
        raise ValueError("no model")

    broken = replace(load_metric("overlap"), metric=SimpleNamespace(judge=judge))
    with pytest.raises(RunError, match="leave that row out"):
        measure(EXAMPLES, broken)
