"""Two runs of one signature side by side: which chatbot stays truer?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from staytrue.core import signature
from staytrue.core.errors import RunError
from staytrue.runs.store import Run
from staytrue.stats.bootstrap import DRAWS, Interval

# From this share of shared examples on, those count as pairs and the rest is left out: one
# abstention must not cost the pairing of a whole run.
_PAIRED = 0.9
_ROUNDING = 1e-12
_CHANCE = 0.05
# A gate does not let pass what it cannot see: more unscored examples than this share fail it.
_UNSEEN = 0.1
# Examples whose score fell by so much are worth a look, and so many of them are shown.
_NOTABLE, _MOST_FALLS = 0.2, 5


@dataclass(frozen=True)
class Comparison:
    """One metric's mean in both runs, and their difference."""

    mean_a: float
    mean_b: float
    difference: Interval
    p: float
    """Two-sided: how often dealing the scores to the runs at random gives as large a difference."""
    n_a: int
    n_b: int
    by_pairs: bool
    left_out: int
    """Scores that have no partner in the other run, when compared by pairs."""
    unscored: int
    """Examples that A scored and that B has without a score, or not at all."""
    falls: tuple[tuple[str, float, float], ...]
    """Id and both scores of the examples that fell most, the largest fall first."""

    @property
    def is_worse(self) -> bool:
        """Whether B is below A by more than chance."""
        return self.mean_b < self.mean_a and self.p < _CHANCE

    @property
    def lacks_scores(self) -> bool:
        """Whether too many of A's examples have no score in B for a gate to let it pass."""
        return self.unscored > _UNSEEN * self.n_a


def compare(
    run_a: Run | str | Path, run_b: Run | str | Path, *, seed: int = 0, draws: int = DRAWS
) -> dict[str, Comparison]:
    """Compare every metric that both runs have; refuse when a signature differs."""
    a, b = (run if isinstance(run, Run) else Run(run) for run in (run_a, run_b))
    shared = [name for name in a.signatures if name in b.signatures]
    if not shared:
        raise RunError(
            f"The runs share no metric: one has {', '.join(a.signatures)}, "
            f"the other {', '.join(b.signatures)}."
        )
    for name in shared:
        found = signature.differences(a.signatures[name], b.signatures[name])
        if found:
            raise RunError(
                f"The scores of {name} cannot be compared: {'; '.join(found)}. "
                "Score both with the same version, models, options and seed."
            )
    scores_a, scores_b = _scores(a), _scores(b)
    result = {}
    for name in shared:
        one, other = scores_a.get(name, {}), scores_b.get(name, {})
        if not one or not other:
            raise RunError(f"Metric {name} scored nothing in one of the runs.")
        result[name] = _compare(one, other, seed, draws)
    return result


def _compare(one: dict[str, float], other: dict[str, float], seed: int, draws: int) -> Comparison:
    rng = np.random.default_rng(seed)
    common = [example_id for example_id in one if example_id in other]
    by_pairs = len(common) >= _PAIRED * max(len(one), len(other))
    if by_pairs:
        a = np.array([one[example_id] for example_id in common])
        b = np.array([other[example_id] for example_id in common])
        gaps = b - a
        drawn = [gaps[_draw(rng, len(gaps))].mean() for _ in range(draws)]
        # If the runs are alike, which of two scores of an example is whose does not matter.
        dealt = [(gaps * rng.choice([-1, 1], size=len(gaps))).mean() for _ in range(draws)]
    else:
        a, b = np.array(list(one.values())), np.array(list(other.values()))
        drawn = [b[_draw(rng, len(b))].mean() - a[_draw(rng, len(a))].mean() for _ in range(draws)]
        pool = (rng.permutation(np.concatenate([a, b])) for _ in range(draws))
        dealt = [every[len(a) :].mean() - every[: len(a)].mean() for every in pool]
    low, high = np.quantile(drawn, [0.025, 0.975])
    observed = float(b.mean() - a.mean())
    extreme = np.sum(np.abs(dealt) >= abs(observed) - _ROUNDING)
    left_out = len(one) + len(other) - 2 * len(common) if by_pairs else 0
    return Comparison(
        float(a.mean()),
        float(b.mean()),
        Interval(observed, float(low), float(high)),
        float((extreme + 1) / (draws + 1)),
        len(a),
        len(b),
        by_pairs,
        left_out,
        len(one) - len(common) if common else 0,
        _falls([(example_id, one[example_id], other[example_id]) for example_id in common]),
    )


def _falls(pairs: list[tuple[str, float, float]]) -> tuple[tuple[str, float, float], ...]:
    fallen = [pair for pair in pairs if pair[1] - pair[2] >= _NOTABLE]
    return tuple(sorted(fallen, key=lambda pair: (pair[2] - pair[1], pair[0]))[:_MOST_FALLS])


def _draw(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(0, n, size=n)


def _scores(run: Run) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {}
    for verdict in run.verdicts():
        if verdict.score is not None:
            scores.setdefault(verdict.metric, {})[verdict.example_id] = verdict.score
    return scores
