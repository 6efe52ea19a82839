"""Means of a run know which rows come from one dialogue."""

from __future__ import annotations

from pathlib import Path

import pytest

from staytrue.core.records import Example
from staytrue.report.figures import mean_of
from staytrue.report.run_view import read_run
from staytrue.runs.folder import Run
from staytrue.runs.runner import evaluate
from staytrue.studies.means import metric_means


def talk(number: int) -> list[Example]:
    """Ten responses of one dialogue, all of them right or all of them wrong."""
    drink = "tea" if number % 2 else "ale"
    tags = {"dialogue": str(number)}
    return [Example(f"{number}-{turn}", drink, "tea", tags=tags) for turn in range(10)]


def test_the_interval_counts_dialogues_and_not_their_rows(tmp_path: Path) -> None:
    rows = [row for number in range(12) for row in talk(number)]
    evaluate(rows, ["overlap"], out=tmp_path / "run")
    mean = metric_means(Run(tmp_path / "run"), ["overlap"])["overlap"]
    assert mean.value == 0.5
    assert (mean.n, mean.clusters) == (120, 12)
    assert mean.low is not None
    assert mean.low < 0.3  # 120 independent rows would give 0.41


def test_it_is_the_interval_of_the_report(tmp_path: Path) -> None:
    evaluate([row for number in range(12) for row in talk(number)], ["overlap"], out=tmp_path)
    view = read_run(tmp_path)
    assert metric_means(Run(tmp_path), ["overlap"])["overlap"] == mean_of(view, view.metrics[0])


@pytest.mark.parametrize("folder", ["run", None])
def test_a_printed_evaluation_has_the_same_interval(tmp_path: Path, folder: str | None) -> None:
    rows = [row for number in range(12) for row in talk(number)]
    run = tmp_path / "run"
    evaluate(rows, ["overlap"], out=run)
    printed = str(evaluate(rows, ["overlap"], out=tmp_path / folder if folder else None))
    assert str(metric_means(Run(run), ["overlap"])["overlap"]) in printed


def test_a_metric_without_scores_has_no_mean(tmp_path: Path) -> None:
    evaluate([Example("1", "", "tea")], ["overlap"], out=tmp_path)
    assert metric_means(Run(tmp_path), ["overlap"])["overlap"].value is None
