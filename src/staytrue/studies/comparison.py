"""Two runs of one signature side by side: which chatbot stays truer?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from staytrue.core.errors import RunError
from staytrue.core.records import Example, signature_differences
from staytrue.runs.folder import Run
from staytrue.runs.ids import key_of
from staytrue.stats import intervals, power
from staytrue.stats.bootstrap import DRAWS, ROUNDING, chance
from staytrue.stats.clusters import cluster_of
from staytrue.stats.intervals import Interval
from staytrue.stats.multiple import holm

# From this share of shared examples on, those count as pairs and the rest is left out: one
# abstention must not cost the pairing of a whole run.
_PAIRED = 0.9
_CHANCE = 0.05
# A gate does not let pass what it cannot see: more unscored examples than this share fail it.
_UNSEEN = 0.1
# Examples whose score fell by so much are worth a look, and so many of them are shown.
_NOTABLE, _MOST_FALLS = 0.2, 5


@dataclass(frozen=True, slots=True)
class _Context:
    """What an example was judged against."""

    cluster: str
    """Its dialogue or document."""
    key: int
    """Of its history and persona; of its knowledge only if it has no history."""
    knowledge: int
    """Of its knowledge."""


@dataclass(frozen=True)
class Comparison:
    """One metric's mean in both runs, and their difference."""

    mean_a: float
    mean_b: float
    difference: Interval
    p: float
    """Two-sided: how often dealing the scores to the runs at random gives as large a difference."""
    p_corrected: float
    """The same by Holm's correction for all metrics that were compared."""
    detectable: float | None
    """The smallest difference that so many examples show in four cases of five."""
    deviation: float | None
    """Standard deviation of the paired differences; None for two samples."""
    n_a: int
    n_b: int
    by_pairs: bool
    left_out: int
    """Scores that have no partner in the other run, when compared by pairs."""
    shared: int
    """Examples that both runs scored, by their ids."""
    unscored: int
    """Examples that A scored and that B has without a score, or not at all; if the runs share no
    id, by how many A has more."""
    other_contexts: int
    """Examples that share an id but not the history and persona, or, without a history, the
    knowledge: not paired."""
    other_knowledge: int
    """Pairs that were judged against different knowledge: other passages were retrieved."""
    falls: tuple[tuple[str, float, float], ...]
    """Id and both scores of the examples that fell most, the largest fall first."""
    documents_a: int
    documents_b: int
    """Dialogues or documents that the compared examples of each run come from."""

    @property
    def is_worse(self) -> bool:
        """Whether B is below A by more than chance."""
        return self.mean_b < self.mean_a and self.p_corrected < _CHANCE

    @property
    def lacks_scores(self) -> bool:
        """Whether too many of A's examples have no score in B for a gate to let it pass."""
        return self.unscored > _UNSEEN * self.n_a


def compare(
    run_a: Run | str | Path,
    run_b: Run | str | Path,
    *,
    seed: int = 0,
    draws: int = DRAWS,
    by_id: bool = False,
) -> dict[str, Comparison]:
    """Compare every metric that both runs have; refuse when a signature differs.

    Examples are pairs if they have the same id and answer the same question; with `by_id`, the id
    is enough.
    """
    a, b = (run if isinstance(run, Run) else Run(run) for run in (run_a, run_b))
    shared = [name for name in a.signatures if name in b.signatures]
    if not shared:
        raise RunError(
            f"The runs share no metric: one has {', '.join(a.signatures)}, "
            f"the other {', '.join(b.signatures)}."
        )
    for name in shared:
        reasons = signature_differences(a.signatures[name], b.signatures[name])
        if reasons:
            raise RunError(
                f"The scores of {name} cannot be compared: {'; '.join(reasons)}. "
                "Score both with the same version, models, options and seed."
            )
    scores_a, scores_b = _scores(a), _scores(b)
    contexts_a, contexts_b = _contexts(a), _contexts(b)
    result = {}
    for name in shared:
        one, other = scores_a.get(name, {}), scores_b.get(name, {})
        if not one or not other:
            raise RunError(f"Metric {name} scored nothing in one of the runs.")
        result[name] = _compare(
            _Side(one, contexts_a), _Side(other, contexts_b), seed, draws, by_id=by_id
        )
    corrected = holm([one.p for one in result.values()])
    return {
        name: replace(one, p_corrected=p)
        for (name, one), p in zip(result.items(), corrected, strict=True)
    }


def processors_differ(a: Run, b: Run) -> str | None:
    """A sentence on runs of the embedded models that were made on different kinds of processors."""
    embedded = any("|backend:embedded" in signature for signature in a.signatures.values())
    if not embedded or not a.processors or not b.processors or a.processors == b.processors:
        return None
    return (
        f"A was made on {' and '.join(a.processors)}, B on {' and '.join(b.processors)}: the same "
        "text may score up to 0.01 higher or lower there."
    )


@dataclass(frozen=True)
class _Side:
    """One run's scores by one metric, and what each example was judged against."""

    scores: Mapping[str, float]
    contexts: Mapping[str, _Context]

    def of(self, ids: Sequence[str]) -> np.ndarray:
        return np.array([self.scores[example_id] for example_id in ids])

    def groups(self, ids: Sequence[str]) -> list[str]:
        return [self.contexts[example_id].cluster for example_id in ids]


def _compare(one: _Side, other: _Side, seed: int, draws: int, *, by_id: bool) -> Comparison:
    rng = np.random.default_rng(seed)
    shared = [example_id for example_id in one.scores if example_id in other.scores]
    common = [i for i in shared if by_id or one.contexts[i].key == other.contexts[i].key]
    moved = [i for i in common if one.contexts[i].knowledge != other.contexts[i].knowledge]
    by_pairs = len(common) >= _PAIRED * max(len(one.scores), len(other.scores))
    kept_a, kept_b = (common, common) if by_pairs else (list(one.scores), list(other.scores))
    a, b = one.of(kept_a), other.of(kept_b)
    groups_a, groups_b = one.groups(kept_a), other.groups(kept_b)
    if by_pairs:
        gaps = b - a
        difference = intervals.mean(gaps, groups_a, bounds=(-1.0, 1.0))
        dealt = _swapped(gaps, groups_a, rng, draws)
        deviation = float(gaps.std(ddof=1)) if len(gaps) > 1 else None
        smallest = _detectable(deviation, difference)
    else:
        means = intervals.mean(a, groups_a), intervals.mean(b, groups_b)
        difference = intervals.difference(*means)
        pool = (rng.permutation(np.concatenate([a, b])) for _ in range(draws))
        dealt = np.array([every[len(a) :].mean() - every[: len(a)].mean() for every in pool])
        deviation = None
        smallest = power.detectable_between(_spread(a), len(a), _spread(b), len(b))
    observed = float(b.mean() - a.mean())
    p = chance(int(np.sum(np.abs(dealt) >= abs(observed) - ROUNDING)), draws)
    return Comparison(
        float(a.mean()),
        float(b.mean()),
        difference,
        p,
        p,
        smallest,
        deviation,
        len(a),
        len(b),
        by_pairs,
        len(one.scores) + len(other.scores) - 2 * len(common) if by_pairs else 0,
        len(shared),
        len(one.scores) - len(shared) if shared else max(0, len(one.scores) - len(other.scores)),
        len(shared) - len(common),
        len(moved) if by_pairs else 0,
        _falls([(i, one.scores[i], other.scores[i]) for i in common]),
        len(set(groups_a)),
        len(set(groups_b)),
    )


def _swapped(
    gaps: np.ndarray, groups: Sequence[str], rng: np.random.Generator, draws: int
) -> np.ndarray:
    """Mean differences when it does not matter which of two scores is whose.

    Rows of one dialogue change sides together: they are one observation of what differs.
    """
    codes = intervals.clusters(groups)
    sums = gaps if codes is None else np.bincount(codes, weights=gaps)
    signs = (rng.choice([-1, 1], size=len(sums)) for _ in range(draws))
    return np.array([(sums * sign).sum() / len(gaps) for sign in signs])


def _detectable(deviation: float | None, difference: Interval) -> float | None:
    """The smallest difference seen; clustered rows count as many as there are clusters."""
    if deviation is None:
        return None
    if difference.clusters is None or difference.low is None or difference.high is None:
        return power.detectable(deviation, difference.n)
    half = (difference.high - difference.low) / 2
    # An interval is t standard errors to each side; t itself cancels but for a few per cent.
    return power.detectable(half / intervals.Z * np.sqrt(difference.clusters), difference.clusters)


def _spread(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def _contexts(run: Run) -> dict[str, _Context]:
    return {example.id: _context(example) for example in run.examples()}


def _context(example: Example) -> _Context:
    """What tells a test case from another: the question, if there is one.

    What was retrieved for it is the system's own doing, and changes with its index.
    """
    history = "\n".join(turn.text for turn in example.history)
    knowledge = "" if history else example.knowledge
    key = key_of(knowledge, history, "\n".join(example.persona))
    return _Context(cluster_of(example), key, key_of(example.knowledge))


def _falls(pairs: list[tuple[str, float, float]]) -> tuple[tuple[str, float, float], ...]:
    fallen = [pair for pair in pairs if pair[1] - pair[2] >= _NOTABLE]
    return tuple(sorted(fallen, key=lambda pair: (pair[2] - pair[1], pair[0]))[:_MOST_FALLS])


def _scores(run: Run) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = {}
    for verdict in run.verdicts():
        if verdict.score is not None:
            scores.setdefault(verdict.metric, {})[verdict.example_id] = verdict.score
    return scores
