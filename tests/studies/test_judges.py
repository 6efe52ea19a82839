from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.errors import RunError
from staytrue.core.protocols import Entailment, Opinion
from staytrue.core.records import Example
from staytrue.runs.folder import Run
from staytrue.runs.runner import evaluate
from staytrue.studies.agreement import agreement
from staytrue.studies.judges import JoinedRuns, pairings

ROWS = [
    Example(str(n), f"It is {n}.", "It is known.", consistent=n % 2 == 0) for n in range(8)
]  # fmt: skip


def opinion(example: Example) -> Opinion:
    """Right about all but the first two."""
    number = int(example.id)
    yes = 0.2 if number < 2 else 0.9 if number % 2 == 0 else 0.1
    return Opinion({"consistent": yes, "inconsistent": 1 - yes, "nothing to check": 0.0})


def scored(folder: Path, metric: str, rows: list[Example] = ROWS, sure: float = 0.9) -> Run:
    backend = ScriptedBackend(
        opinions=opinion,
        entailments=lambda pair: (
            Entailment(sure, 1 - sure, 0)
            if int(pair.hypothesis[6]) % 2 == 0
            else Entailment(0, 1 - sure, sure)
        ),
    )
    evaluate(rows, [metric], backend=backend, out=folder)
    return Run(folder)


def test_metrics_of_two_runs_stand_in_one_table(tmp_path: Path) -> None:
    joined = JoinedRuns(scored(tmp_path / "a", "nli"), [scored(tmp_path / "b", "judge")])
    figures = agreement(joined, draws=50)
    assert list(figures) == ["nli", "judge"]
    assert figures["nli"].yes_no
    assert figures["judge"].yes_no
    assert figures["nli"].yes_no.accuracy_at_half.value == 1.0
    assert figures["judge"].yes_no.accuracy_at_half.value == pytest.approx(7 / 8)
    pairs = pairings(joined)
    assert [(pair.a, pair.b, pair.n) for pair in pairs] == [
        ("nli", "people", 8), ("judge", "people", 8), ("nli", "judge", 8),
    ]  # fmt: skip
    for pair in pairs[:2]:
        assert (pair.roc_auc, pair.same) == (
            figures[pair.a].yes_no.roc_auc, figures[pair.a].yes_no.accuracy_at_half,
        )  # fmt: skip
    assert [pair.kappa for pair in pairs] == pytest.approx([1.0, 0.75, 0.75])
    between = pairs[2]
    assert between.roc_auc is None
    assert between.same
    assert between.same.value == pytest.approx(7 / 8)


def test_a_metric_of_both_runs_is_named_after_its_folder(tmp_path: Path) -> None:
    joined = JoinedRuns(scored(tmp_path / "a", "nli"), [scored(tmp_path / "b", "nli")])
    assert list(joined.signatures) == ["nli", "nli (b)"]


def test_a_judge_that_always_says_the_same_has_no_kappa(tmp_path: Path) -> None:
    unlabelled = [Example(e.id, e.response, e.knowledge) for e in ROWS]
    backend = ScriptedBackend(
        opinions=lambda _: Opinion(
            {"consistent": 1.0, "inconsistent": 0.0, "nothing to check": 0.0}
        )
    )
    evaluate(unlabelled, ["judge"], backend=backend, out=tmp_path / "b")
    joined = JoinedRuns(scored(tmp_path / "a", "nli", unlabelled), [Run(tmp_path / "b")])
    (pair,) = pairings(joined)
    assert (pair.kappa, pair.spearman) == (None, None)
    assert pair.same
    assert pair.same.value == 0.5


def test_classes_that_count_as_consistent_and_abstentions_count_beside_people_too(
    tmp_path: Path,
) -> None:
    rows = [
        replace(row, consistent=None, label="good" if row.consistent else "bad") for row in ROWS
    ]
    empty = [replace(row, response="") if row.id == "0" else row for row in rows]
    run = scored(tmp_path / "a", "nli", empty)
    (plain,) = pairings(run, positive=["good"])
    (counted,) = pairings(run, positive=["good"], abstained_as=1)
    assert (plain.b, plain.n) == ("people", 7)
    assert (counted.b, counted.n) == ("people", 8)
    assert pairings(run) == []


def test_runs_over_other_examples_are_refused(tmp_path: Path) -> None:
    first = scored(tmp_path / "a", "nli")
    others = [Example(f"x{n}", f"It is {n}.", "It is known.") for n in range(2)]
    with pytest.raises(RunError, match="shares no example with"):
        JoinedRuns(first, [scored(tmp_path / "b", "nli", others)])
    changed = [Example("1", "It is 1, or so.", "It is known.")]
    with pytest.raises(RunError, match="different texts"):
        JoinedRuns(first, [scored(tmp_path / "c", "nli", changed)])
