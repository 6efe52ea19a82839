"""Agreement with graded human scores: pure arithmetic on arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from staytrue.stats.ranks import ranks


def pearson(left: np.ndarray, right: np.ndarray) -> float | None:
    """Linear correlation; None when a side does not vary.

    `scipy.stats.pearsonr` takes ten times as long on a hundred rows, as it computes a p-value
    that resampling throws away, and warns where we say None.
    """
    if len(left) < 2:
        return None
    a, b = left - left.mean(), right - right.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    if size <= 1e-12 * len(left):
        return None
    return float(np.clip((a @ b) / size, -1.0, 1.0))


def spearman(left: np.ndarray, right: np.ndarray) -> float | None:
    """Correlation of the ranks; None when a side does not vary."""
    return pearson(ranks(left), ranks(right))


def mean_squared_error(left: np.ndarray, right: np.ndarray) -> float | None:
    """Mean squared difference."""
    return float(np.mean((left - right) ** 2)) if len(left) else None


@dataclass(frozen=True, slots=True)
class WilliamsTest:
    """Whether two metrics correlate differently with the same people's ratings."""

    r_a: float
    """Of metric A with people."""
    r_b: float
    between: float
    """Of the two metrics with each other."""
    t: float
    p: float
    """Two-sided, from Student's t with n − 3 degrees of freedom."""
    n: int


def williams(r_a: float, r_b: float, between: float, n: int) -> WilliamsTest | None:
    """Williams' test (1959, as Steiger (1980) recommends); None with fewer than four rows.

    The two correlations share the people, so that comparing them as independent ones would miss
    most differences.
    """
    if n < 4:
        return None
    determinant = 1 - r_a**2 - r_b**2 - between**2 + 2 * r_a * r_b * between
    spread = (
        2 * (n - 1) / (n - 3) * max(determinant, 0.0) + ((r_a + r_b) / 2) ** 2 * (1 - between) ** 3
    )
    if spread <= 0 or between >= 1:
        return WilliamsTest(r_a, r_b, between, 0.0, 1.0, n)  # one and the same metric
    from scipy.special import stdtr

    t = float((r_a - r_b) * np.sqrt((n - 1) * (1 + between) / spread))
    return WilliamsTest(r_a, r_b, between, t, float(2 * stdtr(n - 3, -abs(t))), n)
