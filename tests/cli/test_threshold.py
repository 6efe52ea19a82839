"""`staytrue threshold`: a limit on the score, with what it gives on rows that did not choose it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from staytrue.cli import app
from staytrue.core.errors import UsageError
from staytrue.core.records import Example, Verdict
from staytrue.runs.writer import RunWriter


def labelled_run(folder: Path, n: int) -> str:
    rng = np.random.default_rng(0)
    with RunWriter(folder, {"m": "m|x:1"}) as writer:
        for number in range(n):
            consistent = bool(rng.random() < 0.6)
            score = float(np.clip(rng.normal(0.65 if consistent else 0.35, 0.15), 0, 1))
            example = Example(str(number), "r", consistent=consistent)
            writer.add([example], [Verdict(example.id, "m", score)])
    return str(folder)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["threshold", *arguments], catch_exceptions=False)


def test_a_limit_is_chosen_and_its_precision_told_with_an_interval(tmp_path: Path) -> None:
    run = labelled_run(tmp_path / "run", 300)
    figures = json.loads(call(run, "--precision", "0.9", "--json").stdout)["m"]
    assert 0.4 < figures["threshold"] < 0.7
    assert figures["lowest"] <= figures["threshold"] <= figures["highest"]
    assert (
        figures["precision"]["low"] < figures["precision"]["value"] < figures["precision"]["high"]
    )
    assert figures["folds"] == 10
    shown = call(run, "--precision", "0.9")
    assert "pass above" in shown.stdout
    assert call(run, "--precision", "0.9").stdout == shown.stdout


def test_few_labels_are_no_proof_and_that_is_said(tmp_path: Path) -> None:
    assert "do not establish" in call(labelled_run(tmp_path / "run", 30)).stderr


def test_too_few_labels_are_refused(tmp_path: Path) -> None:
    wanted = "10 scores with a human yes/no label, and the run has"
    for labels, has in ((5, "5 of them"), (0, "none")):
        with pytest.raises(UsageError, match=f"{wanted} {has}"):
            call(labelled_run(tmp_path / f"run{labels}", labels))
