"""Records survive the way to JSON and back."""

from __future__ import annotations

import ast
import inspect
import json
from collections import UserList, deque
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.core.records import (
    Evidence,
    EvidenceKind,
    Example,
    Failure,
    FailureKind,
    Passage,
    Probe,
    Turn,
    Verdict,
    example_from_json,
    example_to_json,
    failure_from_json,
    failure_to_json,
    field_names,
    verdict_from_json,
    verdict_to_json,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
TURNS = st.builds(Turn, TEXT, TEXT)
PROBES = st.builds(
    Probe, TEXT, TEXT, TEXT, st.sampled_from(["wh", "yn"]), TEXT,
    st.none() | st.integers(0, 9), st.none() | st.integers(0, 9),
)  # fmt: skip
EXAMPLES = st.builds(
    Example, TEXT, TEXT, TEXT,
    st.lists(TURNS, max_size=3).map(tuple), st.lists(TEXT, max_size=3).map(tuple),
    st.none() | PROBES, st.none() | st.booleans(), st.none() | TEXT,
    st.none() | st.floats(allow_nan=False, allow_infinity=False),
    st.dictionaries(TEXT, TEXT, max_size=3),
)  # fmt: skip
SCORES = st.none() | st.floats(0, 1)
EVIDENCE = st.builds(
    Evidence, st.sampled_from(EvidenceKind), TEXT, TEXT,
    st.none() | st.integers(0, 9), st.none() | st.integers(0, 9), SCORES,
    st.none() | TEXT, st.dictionaries(TEXT, TEXT, max_size=3),
)  # fmt: skip
VERDICTS = st.builds(
    Verdict, TEXT, TEXT, SCORES, st.none() | TEXT, TEXT, st.lists(EVIDENCE, max_size=3).map(tuple)
)


@given(EXAMPLES)
def test_an_example_survives_json(example: Example) -> None:
    assert example_from_json(json.loads(json.dumps(example_to_json(example)))) == example


@given(VERDICTS)
def test_a_verdict_survives_json(verdict: Verdict) -> None:
    assert verdict_from_json(json.loads(json.dumps(verdict_to_json(verdict)))) == verdict


def test_a_verdict_line_always_has_its_six_keys() -> None:
    row = verdict_to_json(Verdict("1", "overlap", None, reason="empty"))
    assert list(row) == ["example_id", "metric", "score", "label", "reason", "evidence"]


def test_the_message_is_the_last_turn() -> None:
    example = Example("1", "r", history=(Turn("user", "first"), Turn("user", "last")))
    assert example.message == "last"
    assert Example("1", "r").message == ""


@pytest.mark.parametrize("sequence", [list, tuple, deque, UserList])
def test_knowledge_may_come_as_any_sequence_of_passages(sequence: Any) -> None:
    example = Example("1", "r", sequence(["one", "two"]))
    assert example.knowledge == "one\ntwo"
    assert example.passages == (Passage(0, 3), Passage(4, 7))
    assert Example("1", "r", "one").passages == ()


def test_type_checkers_see_every_field_of_an_example_in_order() -> None:
    tree = ast.parse(inspect.getsource(Example))
    (init,) = (n for n in ast.walk(tree) if getattr(n, "name", "") == "__init__")
    assert isinstance(init, ast.FunctionDef)
    declared = [argument.arg for argument in init.args.args]
    assert tuple(declared) == ("self", *field_names(Example))
    annotation = init.args.args[declared.index("knowledge")].annotation
    assert annotation is not None
    assert ast.unparse(annotation) == "str | Sequence[str]"


def test_evidence_has_a_kind_from_the_list() -> None:
    assert Evidence("words").kind is EvidenceKind.WORDS
    with pytest.raises(ValueError, match="hunch"):
        Evidence("hunch")


@pytest.mark.parametrize("kind", list(FailureKind))
def test_failures_round_trip(kind: FailureKind) -> None:
    failure = Failure("a:3", "broken", "overlap", kind)
    assert failure_from_json(json.loads(json.dumps(failure_to_json(failure)))) == failure


def test_kinds_print_as_plain_text() -> None:
    assert f"{EvidenceKind.N_GRAMS} {FailureKind.ROW!s:>5}" == "n-grams   row"
