"""The numbers behind the page: pure functions of scores and labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from staytrue.report.run_view import MetricView, RunView
from staytrue.stats import bootstrap, correlation, intervals
from staytrue.stats.classification import average_precision, hits_and_alarms, roc_auc
from staytrue.stats.intervals import Interval
from staytrue.studies.agreement import MERGED, THREE_WAY

BINS = 20
_RELIABILITY_BINS = 5
_FEWEST_JUDGED = 20  # below this, bins of the reliability curve hold a row or two
# The first of these tags that has a handful of values names the kinds of data.
_KIND_TAGS = ("kind", "source", "category", "task", "domain", "dataset", "release", "bot", "system")
_MOST_KINDS = 8


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


def mean_of(view: RunView, metric: MetricView) -> Interval:
    """The metric's mean, clustered by dialogue or document."""
    numbers = [n for n, score in enumerate(metric.scores) if score is not None]
    groups = [view.groups[n] for n in numbers]
    return intervals.mean([metric.scores[n] or 0.0 for n in numbers], groups)


def scored(metric: MetricView) -> list[float]:
    """The scores that exist."""
    return [score for score in metric.scores if score is not None]


def histogram(values: Sequence[float]) -> list[int]:
    """Counts in equal bins of [0, 1]; 1 falls into the last."""
    counts = [0] * BINS
    for value in values:
        counts[min(int(value * BINS), BINS - 1)] += 1
    return counts


@dataclass(frozen=True)
class Labelled:
    """The scores whose example people have judged, and those judgements."""

    scores: np.ndarray
    truth: np.ndarray
    groups: list[str]

    def area(self) -> Interval:
        """ROC-AUC."""
        return intervals.roc_auc(self.scores, self.truth, self.groups)

    def accuracy(self) -> Interval:
        """Share of responses that 0.5 puts on the side where people put them."""
        return intervals.share((self.scores > 0.5) == self.truth, self.groups)


def labelled(view: RunView, metric: MetricView, rows: Iterable[int] | None = None) -> Labelled:
    """What people and the metric say of the run's examples, or of some of them."""
    judged = [
        n
        for n in (range(view.total) if rows is None else rows)
        if metric.scores[n] is not None and view.consistent[n] is not None
    ]
    return Labelled(
        np.array([metric.scores[n] for n in judged], dtype=float),
        np.array([view.consistent[n] for n in judged], dtype=bool),
        [view.groups[n] for n in judged],
    )


def roc(metric: str, judged: Labelled) -> Curve | None:
    """The ROC curve for "consistent"; None where people gave only one of the two answers."""
    area = roc_auc(judged.scores, judged.truth)
    if area is None:
        return None
    hits, alarms = hits_and_alarms(judged.scores, judged.truth)
    x, y = (np.concatenate([[0.0], counts / counts[-1]]) for counts in (alarms, hits))
    return Curve(metric, _thinned(x, y), area)


def graded(view: RunView, metric: MetricView) -> tuple[int, Interval, Interval]:
    """How many examples have a score and a rating, and their Spearman and Pearson correlation."""
    rated = [
        n
        for n, (score, rating) in enumerate(zip(metric.scores, view.ratings, strict=True))
        if score is not None and rating is not None
    ]
    scores = np.array([metric.scores[n] for n in rated], dtype=float)
    people = np.array([view.ratings[n] for n in rated], dtype=float)
    groups = [view.groups[n] for n in rated]

    def over(figure: Callable[[np.ndarray, np.ndarray], float | None]) -> Interval:
        return bootstrap.interval(
            lambda i: figure(scores[i], people[i]),
            len(rated),
            groups=groups,
            draws=_draws(len(rated)),
        )

    return len(rated), over(correlation.spearman), over(correlation.pearson)


def _draws(count: int) -> int:
    # An interval of 100,000 examples is narrow whatever is drawn; a page must not take minutes.
    return bootstrap.DRAWS if count <= 5_000 else 100


def precision_recall(metric: str, judged: Labelled, *, of: bool) -> Curve | None:
    """Precision over recall of the consistent (`of=True`) or of the inconsistent responses."""
    scores, wanted = (judged.scores, judged.truth) if of else (-judged.scores, ~judged.truth)
    area = average_precision(scores, wanted)
    if area is None:
        return None
    hits, alarms = hits_and_alarms(scores, wanted)
    return Curve(metric, _thinned(hits / hits[-1], hits / (hits + alarms)), area)


def _thinned(x: np.ndarray, y: np.ndarray, most: int = 200) -> list[tuple[float, float]]:
    keep = np.unique(np.linspace(0, len(x) - 1, min(most, len(x))).round().astype(int))
    return [(float(x[i]), float(y[i])) for i in keep]


def confusion(view: RunView, metric: MetricView) -> Confusion | None:
    """Human labels against the metric's, where the two use some of the same names."""
    human_labels = [(label or "").strip().lower() for label in view.labels]
    pairs = Counter(
        (human, label.strip().lower())
        for human, label in zip(human_labels, metric.labels, strict=True)
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


def _ordered(names: set[str], order: Sequence[str]) -> list[str]:
    return [name for name in order if name in names] + sorted(names - set(order))


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
    rows: dict[tuple[str, str], list[int]] = {}
    for n, (probe, score) in enumerate(zip(view.probes, metric.scores, strict=True)):
        if probe is not None and score is not None:
            rows.setdefault(probe, []).append(n)
    return {
        group: intervals.mean(
            [metric.scores[n] or 0.0 for n in numbers], [view.groups[n] for n in numbers]
        )
        for group, numbers in sorted(rows.items())
    }


@dataclass(frozen=True)
class Bin:
    """Responses with scores in one part of the scale, and the share that people call consistent."""

    low: float
    high: float
    mean: float
    consistent: Interval


@dataclass(frozen=True)
class Reliability:
    """What the scores of one kind of data mean."""

    kind: str
    """A tag and its value, or "all"."""
    bins: list[Bin]
    error: float
    """Expected calibration error: how far score and share are apart, over all rows."""


def reliability(view: RunView, metric: MetricView) -> list[Reliability]:
    """Share of consistent responses by score, for all rows and for each kind of data."""
    kinds = {"all": list(range(view.total)), **_kinds(view)}
    judged_rows = ((kind, labelled(view, metric, rows)) for kind, rows in kinds.items())
    return [
        _reliability(kind, one) for kind, one in judged_rows if len(one.scores) >= _FEWEST_JUDGED
    ]


def _kinds(view: RunView) -> dict[str, list[int]]:
    """Rows by the tag that has a handful of values, so that each is a kind and not a name."""
    for tag in _KIND_TAGS:
        groups: dict[str, list[int]] = {}
        for n, tags in enumerate(view.tags):
            if tag in tags:
                groups.setdefault(f"{tag} {tags[tag]}", []).append(n)
        if 2 <= len(groups) <= _MOST_KINDS:
            return dict(sorted(groups.items()))
    return {}


def _reliability(kind: str, judged: Labelled) -> Reliability:
    bin_of = np.minimum((judged.scores * _RELIABILITY_BINS).astype(int), _RELIABILITY_BINS - 1)
    bins = []
    for number in sorted(set(bin_of.tolist())):
        here = bin_of == number
        groups = [group for group, inside in zip(judged.groups, here, strict=True) if inside]
        bins.append(
            Bin(
                number / _RELIABILITY_BINS, (number + 1) / _RELIABILITY_BINS,
                float(judged.scores[here].mean()), intervals.share(judged.truth[here], groups),
            )
        )  # fmt: skip
    apart = sum(one.consistent.n * abs(one.mean - (one.consistent.value or 0.0)) for one in bins)
    return Reliability(kind, bins, apart / len(judged.scores))
