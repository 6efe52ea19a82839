"""The numbers behind the page: pure functions of scores and labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from staytrue.report.reading import MetricView, RunView
from staytrue.stats import bootstrap as agree
from staytrue.stats import correlation
from staytrue.stats.classification import accuracy, roc_auc
from staytrue.studies.agreement import MERGED, THREE_WAY

BINS = 20


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Curve:
    """A metric's curve over thresholds, and the area under it or another summary."""

    metric: str
    points: list[tuple[float, float]]
    area: float | None


@dataclass(frozen=True)
class Confusion:
    """How often a human label (row) met a metric's label (column)."""

    metric: str
    rows: list[str]
    columns: list[str]
    counts: list[list[int]]
    accuracy: float


@dataclass(frozen=True)
class Grid:
    """Two metrics' scores counted on a square grid; `counts[y][x]`."""

    x: str
    y: str
    counts: list[list[int]]
    spearman: float | None
    both: int


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Mean and 95 % interval of the mean by the normal approximation, kept inside [0, 1]."""
    if not values:
        return None
    array = np.asarray(values, dtype=float)
    mean = float(array.mean())
    spread = float(array.std(ddof=1)) / math.sqrt(len(array)) if len(array) > 1 else 0.0
    half = 1.96 * spread
    return Interval(mean, max(0.0, mean - half), min(1.0, mean + half), len(array))


def scored(metric: MetricView) -> list[float]:
    """The scores that exist."""
    return [score for score in metric.scores if score is not None]


def histogram(values: Sequence[float]) -> list[int]:
    """Counts in equal bins of [0, 1]; 1 falls into the last."""
    counts = [0] * BINS
    for value in values:
        counts[min(int(value * BINS), BINS - 1)] += 1
    return counts


def labelled(metric: MetricView, truth: Sequence[bool | None]) -> tuple[list[float], list[bool]]:
    """The scores whose example people have judged, and those judgements."""
    pairs = [
        (score, said)
        for score, said in zip(metric.scores, truth, strict=True)
        if score is not None and said is not None
    ]
    return [score for score, _ in pairs], [said for _, said in pairs]


def roc(metric: str, scores: Sequence[float], truth: Sequence[bool]) -> Curve | None:
    """The ROC curve for "consistent"; None where people gave only one of the two answers."""
    counted = _over_thresholds(scores, truth)
    if counted is None:
        return None
    true_positives, false_positives = counted
    hits = np.concatenate([[0.0], true_positives / true_positives[-1]])
    alarms = np.concatenate([[0.0], false_positives / false_positives[-1]])
    area = roc_auc(np.asarray(scores, dtype=float), np.asarray(truth, dtype=bool))
    return Curve(metric, _thinned(alarms, hits), area)


def area_interval(scores: Sequence[float], truth: Sequence[bool]) -> agree.Interval:
    """ROC-AUC with its seeded bootstrap interval."""
    values, said = np.asarray(scores, dtype=float), np.asarray(truth, dtype=bool)
    return agree.interval(
        lambda i: roc_auc(values[i], said[i]), len(values), draws=_draws(len(values))
    )


def accuracy_interval(scores: Sequence[float], truth: Sequence[bool]) -> agree.Interval:
    """Share of responses that 0.5 puts on the side where people put them."""
    values, said = np.asarray(scores, dtype=float), np.asarray(truth, dtype=bool)
    return agree.interval(
        lambda i: accuracy(values[i], said[i]), len(values), draws=_draws(len(values))
    )


def graded(
    metric: MetricView, ratings: Sequence[float | None]
) -> tuple[int, agree.Interval, agree.Interval]:
    """How many examples have a score and a rating, and their Spearman and Pearson correlation."""
    both = [
        (score, rating)
        for score, rating in zip(metric.scores, ratings, strict=True)
        if score is not None and rating is not None
    ]
    scores, people = np.asarray(both, dtype=float).reshape(-1, 2).T
    draws = _draws(len(both))
    spearman = agree.interval(
        lambda i: correlation.spearman(scores[i], people[i]), len(both), draws=draws
    )
    pearson = agree.interval(
        lambda i: correlation.pearson(scores[i], people[i]), len(both), draws=draws
    )
    return len(both), spearman, pearson


def _draws(count: int) -> int:
    # An interval of 100,000 examples is narrow whatever is drawn; a page must not take minutes.
    return agree.DRAWS if count <= 5_000 else 100


def precision_recall(
    metric: str, scores: Sequence[float], truth: Sequence[bool], *, of: bool
) -> Curve | None:
    """Precision over recall of the consistent (`of=True`) or of the inconsistent responses."""
    wanted = [said == of for said in truth]
    counted = _over_thresholds([s if of else -s for s in scores], wanted)
    if counted is None:
        return None
    true_positives, false_positives = counted
    recall = true_positives / true_positives[-1]
    precision = true_positives / (true_positives + false_positives)
    steps = np.diff(np.concatenate([[0.0], recall]))
    return Curve(metric, _thinned(recall, precision), float(np.sum(steps * precision)))


def _over_thresholds(
    scores: Sequence[float], truth: Sequence[bool]
) -> tuple[np.ndarray, np.ndarray] | None:
    if not any(truth) or all(truth):
        return None
    score, said = np.asarray(scores, dtype=float), np.asarray(truth, dtype=bool)
    order = np.argsort(-score, kind="stable")
    score, said = score[order], said[order]
    last_of_tie = np.append(np.nonzero(np.diff(score))[0], len(score) - 1)
    return np.cumsum(said)[last_of_tie].astype(float), np.cumsum(~said)[last_of_tie].astype(float)


def _thinned(x: np.ndarray, y: np.ndarray, most: int = 200) -> list[tuple[float, float]]:
    keep = np.unique(np.linspace(0, len(x) - 1, min(most, len(x))).round().astype(int))
    return [(float(x[i]), float(y[i])) for i in keep]


def confusion(view: RunView, metric: MetricView) -> Confusion | None:
    """Human labels against the metric's, where the two use some of the same names."""
    said = [(label or "").strip().lower() for label in view.labels]
    pairs = Counter(
        (human, label.strip().lower())
        for human, label in zip(said, metric.labels, strict=True)
        if human and label
    )
    order = ("entailment", "contradiction", "hallucination", "off-topic", "generic", "neutral")
    rows = _ordered({human for human, _ in pairs}, order)
    columns = _ordered({label for _, label in pairs}, order)
    if not set(rows) & set(columns) or len(rows) > 12 or len(columns) > 12:
        return None
    counts = [[pairs[row, column] for column in columns] for row in rows]
    # A three-way metric cannot tell the kinds of "neutral" apart, so any of them counts as right.
    merged = MERGED if set(columns) <= THREE_WAY else {}
    right = sum(n for (row, column), n in pairs.items() if column in (row, merged.get(row)))
    return Confusion(metric.name, rows, columns, counts, right / sum(pairs.values()))


def _ordered(found: set[str], order: Sequence[str]) -> list[str]:
    return [name for name in order if name in found] + sorted(found - set(order))


def grid(x: MetricView, y: MetricView) -> Grid | None:
    """Count the examples that both metrics scored on a grid, and correlate the two."""
    both = [
        (a, b) for a, b in zip(x.scores, y.scores, strict=True) if a is not None and b is not None
    ]
    if len(both) < 2:
        return None
    counts = [[0] * BINS for _ in range(BINS)]
    for a, b in both:
        counts[min(int(b * BINS), BINS - 1)][min(int(a * BINS), BINS - 1)] += 1
    first, second = np.asarray(both, dtype=float).T
    return Grid(x.name, y.name, counts, correlation.spearman(first, second), len(both))


def by_probe(view: RunView, metric: MetricView) -> dict[tuple[str, str], Interval]:
    """Mean score by the probe's source and kind (ConsisTest)."""
    groups: dict[tuple[str, str], list[float]] = {}
    for probe, score in zip(view.probes, metric.scores, strict=True):
        if probe is not None and score is not None:
            groups.setdefault(probe, []).append(score)
    found = {group: mean_interval(values) for group, values in sorted(groups.items())}
    return {group: interval for group, interval in found.items() if interval is not None}
