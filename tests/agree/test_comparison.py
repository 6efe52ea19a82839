"""Two runs side by side, if and only if their scores can be compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from staytrue.agree.comparison import compare
from staytrue.errors import RunError
from staytrue.records import Example, Verdict
from staytrue.store import Run, RunWriter


def run(folder: Path, scores: dict[str, float], signature: str = "m|x:1") -> Run:
    with RunWriter(folder, {"m": signature}) as writer:
        verdicts = [Verdict(i, "m", score) for i, score in scores.items()]
        writer.add([Example(i, "r") for i in scores], verdicts)
    return Run(folder)


def test_runs_with_the_same_ids_are_compared_as_pairs(tmp_path: Path) -> None:
    low = {str(n): n / 100 for n in range(50)}
    a, b = run(tmp_path / "a", low), run(tmp_path / "b", {i: s + 0.1 for i, s in low.items()})
    found = compare(a, b)["m"]
    assert found.by_pairs
    assert found.difference.value == pytest.approx(0.1)
    assert found.difference.low == pytest.approx(0.1)
    assert found.p <= 0.001


def test_runs_with_other_ids_are_two_samples(tmp_path: Path) -> None:
    a = run(tmp_path / "a", {f"a{n}": n / 100 for n in range(50)})
    b = run(tmp_path / "b", {f"b{n}": n / 100 for n in range(50)})
    found = compare(a, b)["m"]
    assert not found.by_pairs
    assert found.p > 0.5


def test_other_signatures_are_refused_with_what_differs(tmp_path: Path) -> None:
    a, b = run(tmp_path / "a", {"1": 0.5}), run(tmp_path / "b", {"1": 0.5}, "m|x:2")
    with pytest.raises(RunError, match="x is 1 in one and 2 in the other"):
        compare(a, b)
