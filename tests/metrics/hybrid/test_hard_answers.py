"""Answers that word tricks get wrong: names and amounts are compared as what they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.protocols import Entailment
from staytrue.core.records import Example, Probe
from staytrue.metrics.hybrid.metric import Hybrid
from staytrue.plugins.registry import load_metric

HARD = Path(__file__).resolve().parents[2] / "golden" / "consistest_hard.jsonl"


def cases(*, by_rules: bool = False) -> list[Example]:
    """Half of them are wrong, the other half right in spite of looking alike.

    Where another town is named ("by": "model"), it takes the model to see that it is wrong.
    """
    rows = map(json.loads, HARD.read_text("utf-8").splitlines())
    return [
        Example(row["id"], row["response"], probe=Probe(**row["probe"]), rating=row["rating"])
        for row in rows
        if not by_rules or row.get("by") != "model"
    ]


@pytest.mark.parametrize("case", cases(by_rules=True), ids=lambda case: case.response)
def test_rules_and_a_model_that_never_objects_judge_them_right(case: Example) -> None:
    backend = ScriptedBackend(entailments=lambda pair: Entailment(0.0, 1.0, 0.0))
    assert Hybrid(backend).judge([case])[0].score == case.rating


@pytest.mark.slow
def test_the_shipped_models_object_to_hardly_any_of_them() -> None:
    verdicts = load_metric("hybrid").judge(cases())
    right = [verdict.score == case.rating for verdict, case in zip(verdicts, cases(), strict=True)]
    assert sum(right) >= len(right) - 1
