"""Agreement with graded human scores: pure arithmetic on arrays."""

from __future__ import annotations

import numpy as np

from staytrue.stats.classification import ranks


def pearson(left: np.ndarray, right: np.ndarray) -> float | None:
    """Linear correlation; None when a side does not vary."""
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
