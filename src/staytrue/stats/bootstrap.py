"""Seeded bootstrap intervals and tests for figures that have no closed form.

Statistics see arrays of scores only, so that resampling never judges anything again. Rows that
share a dialogue or document are drawn, left out and swapped together: `scipy.stats.bootstrap` draws
single rows, and one resample for which the figure has no value voids its interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from staytrue.stats.intervals import NOTHING, Groups, Interval, clusters

Indexes = np.ndarray
Statistic = Callable[[Indexes], "float | None"]
DRAWS = 1000
# Equal figures may differ by rounding, which is no evidence.
ROUNDING = 1e-12
_BLOCKS = 200  # of rows that are left out in turn, enough to tell the skewness


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Whether A's figure is above B's on the same examples."""

    a: float
    b: float
    difference: Interval
    p_bootstrap: float
    """Two-sided: how often a resampled difference has the other sign, doubled."""
    p_randomisation: float
    """Two-sided: how often swapping A and B at random gives as large a difference."""


def chance(extreme: int, draws: int) -> float:
    """The p-value of `extreme` hits in `draws`, which is never 0 (Davison and Hinkley, 1997)."""
    return (extreme + 1) / (draws + 1)


def interval(
    statistic: Statistic, n: int, *, groups: Groups = None, seed: int = 0, draws: int = DRAWS
) -> Interval:
    """The statistic of all `n` items with its bias-corrected interval (BCa; Efron, 1987)."""
    if n == 0:
        return NOTHING
    value = statistic(np.arange(n))
    if value is None:
        return Interval(None, n=n, method="not defined on these rows")
    rows = _Resampling(n, groups)
    rng = np.random.default_rng(seed)
    drawn = _known(statistic(rows.draw(rng)) for _ in range(draws))
    return rows.interval(float(value), drawn, _known(map(statistic, rows.leaving_out())))


def paired(
    statistic: Callable[[np.ndarray, Indexes], float | None],
    a: np.ndarray,
    b: np.ndarray,
    *,
    groups: Groups = None,
    seed: int = 0,
    draws: int = DRAWS,
) -> PairedTest | None:
    """Test A against B; `statistic` takes scores and the indexes of the items to use."""
    everything = np.arange(len(a))
    of_a, of_b = statistic(a, everything), statistic(b, everything)
    if of_a is None or of_b is None:
        return None
    observed = of_a - of_b

    def gap(indexes: Indexes) -> float | None:
        left, right = statistic(a, indexes), statistic(b, indexes)
        return None if left is None or right is None else left - right

    rows = _Resampling(len(a), groups)
    rng = np.random.default_rng(seed)
    differences = _known(gap(rows.draw(rng)) for _ in range(draws))
    extreme = 0
    for _ in range(draws):
        swap = rows.swapped(rng)
        one = statistic(np.where(swap, b, a), everything)
        other = statistic(np.where(swap, a, b), everything)
        if one is not None and other is not None:
            extreme += abs(one - other) >= abs(observed) - ROUNDING
    below = chance(int(np.sum(differences <= ROUNDING)), len(differences))
    above = chance(int(np.sum(differences >= -ROUNDING)), len(differences))
    return PairedTest(
        of_a,
        of_b,
        rows.interval(observed, differences, _known(map(gap, rows.leaving_out()))),
        p_bootstrap=min(1.0, 2 * min(below, above)),
        p_randomisation=chance(extreme, draws),
    )


def _bca(value: float, drawn: np.ndarray, left_out: np.ndarray) -> tuple[float, float] | None:
    """Quantiles of the draws, moved for their bias and for how the spread follows the figure."""
    from scipy.special import ndtr, ndtri

    if len(drawn) == 0 or np.ptp(drawn) <= ROUNDING:
        return None
    below = np.mean(drawn < value - ROUNDING) + np.mean(np.abs(drawn - value) <= ROUNDING) / 2
    # A figure at the end of all draws would give an infinite bias: it is at least half a draw in.
    half = 0.5 / len(drawn)
    bias = float(ndtri(np.clip(below, half, 1 - half)))
    pull = left_out.mean() - left_out if len(left_out) else np.zeros(1)
    size = float(np.sum(pull**2)) ** 1.5
    skew = float(np.sum(pull**3)) / (6 * size) if size > 0 else 0.0
    wanted = []
    for z in ndtri([0.025, 0.975]):
        moved = bias + z
        wanted.append(float(ndtr(bias + moved / max(1 - skew * moved, 0.1))))
    low, high = np.quantile(drawn, wanted)
    return float(min(low, value)), float(max(high, value))


class _Resampling:
    """Draws rows again, or leaves some out; rows of one cluster stay together."""

    def __init__(self, n: int, groups: Groups) -> None:
        self._n = n
        self.codes = clusters(groups)
        self.clusters: int | None = None
        if self.codes is not None:
            order = np.argsort(self.codes, kind="stable")
            self._members = np.split(order, np.cumsum(np.bincount(self.codes))[:-1])
            self.clusters = len(self._members)
        self._units = self.clusters or n

    def draw(self, rng: np.random.Generator) -> Indexes:
        picked = rng.integers(0, self._units, size=self._units)
        if self.clusters is None:
            return picked
        return np.concatenate([self._members[n] for n in picked])

    def swapped(self, rng: np.random.Generator) -> np.ndarray:
        """Which rows change sides, each cluster as a whole."""
        swap = rng.random(self._units) < 0.5
        return swap if self.codes is None else swap[self.codes]

    def leaving_out(self) -> Iterator[Indexes]:
        """All rows but one cluster at a time, or but one block of clusters where there are many."""
        unit = np.arange(self._n) if self.codes is None else self.codes
        count = min(self._units, _BLOCKS)
        for block in range(count if count > 1 else 0):
            yield np.flatnonzero(unit % count != block)

    def interval(self, value: float, drawn: np.ndarray, left_out: np.ndarray) -> Interval:
        limits = _bca(value, drawn, left_out)
        if limits is None:
            why = "every resample is the same"
            return Interval(value, n=self._n, clusters=self.clusters, method=why)
        return Interval(value, *limits, self._n, self.clusters, "BCa bootstrap")


def _known(figures: Iterable[float | None]) -> np.ndarray:
    """The figures that are defined: a resample may lack a class."""
    return np.array([figure for figure in figures if figure is not None], dtype=float)
