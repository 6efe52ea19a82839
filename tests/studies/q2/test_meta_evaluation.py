"""A run's metrics are meta-evaluated from Python, as `staytrue agree` does it."""

from __future__ import annotations

from pathlib import Path

import pytest

from staytrue import evaluate
from staytrue.core.errors import UsageError
from staytrue.core.records import Example
from staytrue.runs.folder import Run
from staytrue.stats.curve import THRESHOLDS
from staytrue.studies.q2.meta_evaluation import curves, robustness, simulated_systems
from staytrue.studies.q2.systems import ROBUSTNESS_SHARES, ROBUSTNESS_SMALL_SHARES

RIGHT, WRONG = "coffee comes from Yemen", "tea grows everywhere"


def run_of(folder: Path, *, judged: bool = True) -> Run:
    examples = []
    for n in range(6):
        tags = {"context": f"{n}-0"}
        for name, response in (("good", RIGHT), ("bad", WRONG)):
            human = name == "good" if judged else None
            examples.append(Example(f"{name}{n}", response, RIGHT, consistent=human, tags=tags))
    evaluate(examples, ["overlap"], out=folder)
    return Run(folder)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_of(tmp_path_factory.mktemp("runs") / "run")


def test_a_metric_that_sees_the_difference_has_a_perfect_curve(run: Run) -> None:
    points = curves(run)["overlap"]
    assert tuple(point.threshold for point in points) == THRESHOLDS
    assert all(point.accuracy == 1.0 for point in points)


def test_simulated_systems_are_drawn_both_ways(run: Run) -> None:
    simulated = simulated_systems(run, draws=20)["overlap"]
    assert (simulated.shared.spearman, simulated.apart.spearman) == (1.0, 1.0)
    assert (simulated.shared.contexts, simulated.left_out) == (6, 0)


def test_robustness_has_both_sets_of_shares(run: Run) -> None:
    curve = robustness(run, draws=20)["overlap"]
    assert tuple(point.share for point in curve.all) == ROBUSTNESS_SHARES
    assert tuple(point.share for point in curve.small) == ROBUSTNESS_SMALL_SHARES
    assert curve.all[0].mean > curve.all[-1].mean


@pytest.mark.parametrize("study", [curves, robustness])
def test_a_run_without_yes_no_labels_says_what_to_do(study, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give `consistent` in the input"):
        study(run_of(tmp_path / "run", judged=False))
