"""Q²'s meta-evaluation of a run: for each metric its curve, simulated systems and robustness."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from staytrue.core.errors import UsageError
from staytrue.runs.folder import Run
from staytrue.stats.curve import CurvePoint, curve
from staytrue.studies.agreement import is_consistent, judged
from staytrue.studies.q2 import systems
from staytrue.studies.q2.systems import DRAWS, ShareScore, SimulatedSystems


@dataclass(frozen=True, slots=True)
class RobustnessCurves:
    """A metric's score by share of inconsistent responses, over the paper's two sets of shares."""

    all: tuple[ShareScore, ...]
    """From none to all, in tenths."""
    small: tuple[ShareScore, ...]
    """Up to a quarter, in twentieths, and all."""


@dataclass(frozen=True, slots=True)
class _YesNoScores:
    scores: np.ndarray
    consistent: np.ndarray


def curves(
    run: Run, *, positive: Collection[str] = (), abstained_as: float | None = None
) -> dict[str, list[CurvePoint]]:
    """Precision and recall of both classes over thresholds, by metric."""
    by_metric = _yes_no(run, positive, abstained_as)
    return {name: curve(one.scores, one.consistent) for name, one in by_metric.items()}


def simulated_systems(
    run: Run,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    positive: Collection[str] = (),
    abstained_as: float | None = None,
) -> dict[str, SimulatedSystems]:
    """How well each metric puts simulated systems in order, by metric."""
    scores: dict[str, dict[str, float | None]] = {name: {} for name in run.signatures}
    for verdict in run.verdicts():
        if verdict.metric in scores:
            score = abstained_as if verdict.score is None else verdict.score
            scores[verdict.metric][verdict.example_id] = score
    examples = [replace(e, consistent=is_consistent(e, positive)) for e in run.examples()]
    return {
        name: systems.simulate_both_ways(
            systems.mixed_contexts(examples, mine), draws=draws, seed=seed
        )
        for name, mine in scores.items()
    }


def robustness(
    run: Run,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    positive: Collection[str] = (),
    abstained_as: float | None = None,
) -> dict[str, RobustnessCurves]:
    """Each metric's score against the share of inconsistent responses."""

    def scored(one: _YesNoScores, shares: tuple[float, ...]) -> tuple[ShareScore, ...]:
        good, bad = one.scores[one.consistent], one.scores[~one.consistent]
        return systems.robustness(good, bad, shares=shares, draws=draws, seed=seed)

    return {
        name: RobustnessCurves(
            scored(one, systems.ROBUSTNESS_SHARES), scored(one, systems.ROBUSTNESS_SMALL_SHARES)
        )
        for name, one in _yes_no(run, positive, abstained_as).items()
    }


def _yes_no(
    run: Run, positive: Collection[str], abstained_as: float | None
) -> dict[str, _YesNoScores]:
    """Each metric's scores of the responses that people judged."""
    by_metric = {}
    for name, one in judged(run, positive=positive, abstained_as=abstained_as).items():
        known = [n for n, human in enumerate(one.consistent) if human is not None]
        if known:
            by_metric[name] = _YesNoScores(
                np.array([one.scores[n] for n in known], dtype=float),
                np.array([one.consistent[n] for n in known], dtype=bool),
            )
    if not by_metric:
        raise UsageError(
            "The run has no human yes/no labels: give `consistent` in the input, or say with "
            "--positive which of its classes count as consistent."
        )
    return by_metric
