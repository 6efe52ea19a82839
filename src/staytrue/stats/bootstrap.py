"""Seeded bootstrap intervals and tests: how far a figure may be off, and whether A beats B.

Statistics see arrays of scores only, so that resampling never judges anything again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Indexes = np.ndarray
Statistic = Callable[[Indexes], "float | None"]
DRAWS = 1000


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with its 95 % bootstrap interval; all None when it cannot be computed."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        if self.low is None or self.high is None:
            return f"{self.value:.3f}"
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


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


def interval(statistic: Statistic, n: int, *, seed: int = 0, draws: int = DRAWS) -> Interval:
    """The statistic of all `n` items and the 2.5 % and 97.5 % quantiles over resamples."""
    if n == 0:
        return Interval(None)
    value = statistic(np.arange(n))
    if value is None:
        return Interval(None)
    rng = np.random.default_rng(seed)
    drawn = (statistic(rng.integers(0, n, size=n)) for _ in range(draws))
    found = [figure for figure in drawn if figure is not None]  # a resample may lack a class
    if not found:
        return Interval(value)
    low, high = np.quantile(found, [0.025, 0.975])
    return Interval(float(value), float(low), float(high))


def paired(
    statistic: Callable[[np.ndarray, Indexes], float | None],
    a: np.ndarray,
    b: np.ndarray,
    *,
    seed: int = 0,
    draws: int = DRAWS,
) -> PairedTest | None:
    """Test A against B; `statistic` takes scores and the indexes of the items to use."""
    everything = np.arange(len(a))
    of_a, of_b = statistic(a, everything), statistic(b, everything)
    if of_a is None or of_b is None:
        return None
    rng = np.random.default_rng(seed)
    differences, extreme = [], 0
    for _ in range(draws):
        drawn = rng.integers(0, len(a), size=len(a))
        left, right = statistic(a, drawn), statistic(b, drawn)
        if left is not None and right is not None:
            differences.append(left - right)
        swap = rng.random(len(a)) < 0.5
        one = statistic(np.where(swap, b, a), everything)
        other = statistic(np.where(swap, a, b), everything)
        if one is not None and other is not None:
            extreme += abs(one - other) >= abs(of_a - of_b)
    low, high = np.quantile(differences, [0.025, 0.975]) if differences else (None, None)
    below = np.mean(np.array(differences) <= 0) if differences else 0.5
    above = np.mean(np.array(differences) >= 0) if differences else 0.5
    return PairedTest(
        of_a,
        of_b,
        Interval(of_a - of_b, low if low is None else float(low), high and float(high)),
        p_bootstrap=float(min(1.0, 2 * min(below, above))),
        p_randomisation=(extreme + 1) / (draws + 1),
    )
