"""95 % intervals in closed form: shares, means of scores, ROC-AUC, F1 and differences of these.

A bootstrap of a share or of a mean collapses when all rows agree (0 of 12 would print
[0.000, 0.000]) and covers too little of few rows. Each interval here is Wilson's score interval
(1927) on the effective number of rows, which is what a share with the same variance would have
needed (Korn and Graubard, 1998). `python -m benchmarks.coverage` shows that 95 % means 95 %.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from staytrue.core.text import counted, decimals
from staytrue.stats.ranks import placements

Z = 1.959963984540054  # the normal distribution's 97.5 % quantile
# With fewer dialogues or documents their spread cannot be told, and rows count as independent.
FEWEST_CLUSTERS = 5
Groups = Sequence[Hashable] | None
"""The dialogue or document of each row; rows that share one are not independent."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with its 95 % interval; `method` says how it was made, or why there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    """Rows that it counts."""
    clusters: int | None = None
    """Dialogues or documents that the rows come from; None when rows count as independent."""
    method: str = ""

    @property
    def ends(self) -> tuple[float, float]:
        """Both limits, for drawing; the figure itself where it has none."""
        value = self.value or 0.0
        return value if self.low is None else self.low, value if self.high is None else self.high

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return decimals(self.value)
        return f"{decimals(self.value)} [{decimals(self.low)}, {decimals(self.high)}]"


_INDEPENDENT = "Wilson on the effective number"
_CLUSTERED = "Wilson on the effective number, clustered"
NOTHING = Interval(None, method="no rows")


def proportion(successes: int, n: int) -> Interval:
    """A share of independent rows with Wilson's interval."""
    if n == 0:
        return NOTHING
    low, high = _wilson(successes / n, n)
    return Interval(successes / n, low, high, n, None, "Wilson")


def share(flags: Sequence[bool] | np.ndarray, groups: Groups = None) -> Interval:
    """The share of rows that are true, clustered by `groups`."""
    values = np.asarray(flags, dtype=float)
    codes = clusters(groups)
    if codes is None:
        return proportion(int(values.sum()), len(values))
    return mean(values, groups)


def mean(
    values: Sequence[float] | np.ndarray,
    groups: Groups = None,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Interval:
    """The mean of values that lie within `bounds`, clustered by `groups`."""
    rows = np.asarray(values, dtype=float)
    n = len(rows)
    if n == 0:
        return NOTHING
    average = float(rows.mean())
    codes = clusters(groups)
    if codes is None:
        variance = float(rows.var(ddof=1)) / n if n > 1 else 0.0
        return _limits(average, variance, n, n, None, bounds)
    return _limits(average, _clustered((rows - average) / n, codes), n, n, codes, bounds)


def mean_from_moments(
    average: float, deviation: float, n: int, bounds: tuple[float, float] = (0.0, 1.0)
) -> Interval:
    """The same from a mean, a standard deviation and a count of independent rows."""
    return _limits(average, deviation**2 / n, n, n, None, bounds) if n else NOTHING


def from_variance(value: float, variance: float, *, n: int, clusters: int) -> Interval:
    """A rate of `n` rows in so many clusters, whose variance was computed elsewhere."""
    bounds = _wilson_around(value, variance, float(n), clusters - 1, (0.0, 1.0))
    return Interval(value, *bounds, n, clusters, _CLUSTERED)


def roc_auc(
    scores: Sequence[float] | np.ndarray,
    positive: Sequence[bool] | np.ndarray,
    groups: Groups = None,
) -> Interval:
    """ROC-AUC with the variance of DeLong et al. (1988), or of Obuchowski (1997) for clusters."""
    values, truth = np.asarray(scores, dtype=float), np.asarray(positive, dtype=bool)
    if not truth.any() or truth.all():
        return Interval(None, n=len(values), method="people gave one of the two answers only")
    placed = placements(values, truth)
    area = float(placed[truth].mean())
    n_positive, n_negative = int(truth.sum()), int((~truth).sum())
    pairs = 2 * n_positive * n_negative / len(values)  # the harmonic mean of the two counts
    codes = clusters(groups)
    if min(n_positive, n_negative) == 1:
        variance = 0.0  # a single row of a class tells no spread
    elif codes is None:
        spread = placed[truth].var(ddof=1) / n_positive, placed[~truth].var(ddof=1) / n_negative
        variance = float(sum(spread))
    else:
        weight = np.where(truth, n_positive, n_negative)
        variance = _clustered((placed - area) / weight, codes)
    return _limits(area, variance, len(values), pairs, codes, (0.0, 1.0), estimated=False)


def f1(both: int, predicted: int, actual: int) -> Interval:
    """F1 from counts: it grows with both / (predicted or actual), which is a share."""
    either = predicted + actual - both
    if either == 0:
        return NOTHING
    overlap = proportion(both, either)

    def harmonic(jaccard: float | None) -> float:
        return 2 * (jaccard or 0.0) / (1 + (jaccard or 0.0))

    return Interval(
        2 * both / (predicted + actual), harmonic(overlap.low), harmonic(overlap.high),
        either, None, "Wilson",
    )  # fmt: skip


def difference(a: Interval, b: Interval) -> Interval:
    """B − A of two independent figures, from their intervals (Zou and Donner, 2008)."""
    if a.value is None or b.value is None:
        return NOTHING
    gap = b.value - a.value
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return Interval(gap, n=a.n + b.n, method="a side has no interval")
    down = np.hypot(b.value - b.low, a.high - a.value)
    up = np.hypot(b.high - b.value, a.value - a.low)
    return Interval(gap, float(gap - down), float(gap + up), a.n + b.n, None, "MOVER")


def clusters(groups: Groups) -> np.ndarray | None:
    """The number of each row's cluster; None when rows count as independent."""
    if groups is None:
        return None
    code_of: dict[Any, int] = {}
    codes = np.array([code_of.setdefault(group, len(code_of)) for group in groups], dtype=np.int64)
    return None if len(code_of) < FEWEST_CLUSTERS or len(code_of) == len(codes) else codes


def why_not_clustered(n: int, documents: int) -> str | None:
    """Why rows that share documents count as independent all the same; None where they do not."""
    if documents >= min(n, FEWEST_CLUSTERS):
        return None
    source = counted(documents, "dialogue or document", "dialogues or documents")
    return (
        f"responses count as independent, although they come from only {source}: "
        f"clustering needs at least {FEWEST_CLUSTERS}"
    )


def _clustered(influence: np.ndarray, codes: np.ndarray) -> float:
    """The variance of a sum of influences when those of one cluster come together."""
    sums = np.bincount(codes, weights=influence)
    return float(np.sum(sums**2) * len(sums) / (len(sums) - 1))


def _limits(
    value: float, variance: float, n: int, trials: float, codes: np.ndarray | None,
    bounds: tuple[float, float], *, estimated: bool = True,
) -> Interval:  # fmt: skip
    """`estimated`: the variance comes from the rows' spread, not from the figure itself."""
    if codes is None:
        freedom = n - 1 if estimated else None
        limits = _wilson_around(value, variance, trials, freedom, bounds)
        return Interval(value, *limits, n, None, _INDEPENDENT)
    count = int(codes.max()) + 1
    limits = _wilson_around(value, variance, min(trials, count), count - 1, bounds)
    return Interval(value, *limits, n, count, _CLUSTERED)


def _wilson_around(
    value: float, variance: float, trials: float, freedom: int | None, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Wilson's limits on the number of rows that would give a share this variance.

    `trials` counts where nothing varies: then a share of at most z² / (trials + z²) of all rows
    may be otherwise, by as much as the scale allows.
    """
    low_end, high_end = bounds
    size = high_end - low_end
    # Rounding leaves a mean of equal numbers a variance that is no spread.
    if variance <= (1e-9 * size) ** 2 or not low_end < value < high_end:
        q = Z**2 / (trials + Z**2)
        return value - q * (value - low_end), value + q * (high_end - value)
    position = (value - low_end) / size
    effective = position * (1 - position) / (variance / size**2)
    if freedom is not None:
        # The spread itself was estimated, from so many rows or clusters.
        effective *= (Z / _student(max(freedom, 1))) ** 2
    low, high = _wilson(position, effective)
    return low_end + size * low, low_end + size * high


def _wilson(value: float, n: float) -> tuple[float, float]:
    shrunk = 1 + Z**2 / n
    middle = (value + Z**2 / (2 * n)) / shrunk
    half = Z / shrunk * np.sqrt(value * (1 - value) / n + Z**2 / (4 * n**2))
    # Rounding must not push a limit past its figure, or off the scale.
    return max(0.0, min(float(middle - half), value)), min(1.0, max(float(middle + half), value))


def _student(freedom: int) -> float:
    from scipy.special import stdtrit  # a tenth of the time that scipy.stats takes to import

    return float(stdtrit(freedom, 0.975))
