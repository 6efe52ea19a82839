"""A limit on the score, chosen on labels and tried on labels that did not choose it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from staytrue.stats.classification import best_threshold
from staytrue.stats.intervals import Groups, Interval, clusters, share

FOLDS = 10
Choice = Callable[[np.ndarray, np.ndarray], "float | None"]


@dataclass(frozen=True, slots=True)
class ChosenThreshold:
    """A limit above which responses pass, with what it gives on rows that did not choose it."""

    threshold: float | None
    """Chosen on all rows; None: no limit reaches the goal."""
    lowest: float | None
    """The lowest and highest limit that any part of the rows chose."""
    highest: float | None
    precision: Interval
    """Of the rows that pass, the share that people call consistent; on held-out rows."""
    recall: Interval
    """Of the rows that people call consistent, the share that passes; on held-out rows."""
    folds: int
    without: int
    """Parts in which no limit reached the goal: all their held-out rows fail."""


def cross_validated_accuracy(
    scores: np.ndarray, truth: np.ndarray, *, groups: Groups = None, seed: int = 0
) -> Interval:
    """Accuracy at the best threshold, chosen each time without the rows that are counted."""
    if len(scores) < 2:
        return Interval(None, n=len(scores), method="one row cannot choose and be counted")
    right = np.zeros(len(scores), dtype=bool)
    for training, test in _splits(truth, groups, seed):
        limit = best_threshold(scores[training], truth[training])
        right[test] = (scores[test] > limit) == truth[test]
    return share(right, groups)


def with_precision(
    scores: np.ndarray, truth: np.ndarray, goal: float, *, groups: Groups = None, seed: int = 0
) -> ChosenThreshold:
    """The lowest limit whose precision reaches the goal, tried by cross-validation."""
    passed = np.zeros(len(scores), dtype=bool)
    limits: list[float | None] = []
    for training, test in _splits(truth, groups, seed):
        limit = _lowest(scores[training], truth[training], goal)
        limits.append(limit)
        if limit is not None:
            passed[test] = scores[test] > limit
    known = [limit for limit in limits if limit is not None]
    names = None if groups is None else np.array(groups, dtype=object)

    def of(flags: np.ndarray, among: np.ndarray) -> Interval:
        return share(flags[among], None if names is None else list(names[among]))

    return ChosenThreshold(
        _lowest(scores, truth, goal), min(known, default=None), max(known, default=None),
        of(truth, passed), of(passed, truth), len(limits), len(limits) - len(known),
    )  # fmt: skip


def _lowest(scores: np.ndarray, truth: np.ndarray, goal: float) -> float | None:
    """The lowest limit with the goal's precision: midway to the next lower score."""
    order = np.argsort(-scores, kind="stable")
    ordered, labels = scores[order], truth[order]
    precision = np.cumsum(labels) / np.arange(1, len(labels) + 1)
    allowed = np.append(ordered[1:] != ordered[:-1], True)  # equal scores pass together
    reached = np.flatnonzero(allowed & (precision >= goal))
    if len(reached) == 0:
        return None
    last = int(reached[-1])
    if last + 1 == len(ordered):
        return max(0.0, float(ordered[-1]) - 1e-6)
    return float((ordered[last] + ordered[last + 1]) / 2)


def _splits(
    truth: np.ndarray, groups: Groups, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows to choose on and rows to count; a dialogue is never in both."""
    rng = np.random.default_rng(seed)
    codes = clusters(groups)
    if codes is None:
        # Dealt class by class, so that each part has its share of both.
        order = rng.permutation(len(truth))
        order = order[np.argsort(truth[order], kind="stable")]
        count = min(FOLDS, len(truth))
        part = np.empty(len(truth), dtype=np.int64)
        part[order] = np.arange(len(truth)) % count
    else:
        size = int(codes.max()) + 1
        count = min(FOLDS, size)
        part = (rng.permutation(size) % count)[codes]
    for number in range(count):
        test = part == number
        yield ~test, test
