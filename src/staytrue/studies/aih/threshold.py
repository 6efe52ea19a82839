"""What a threshold on P(contradiction) gives: rate, F1 and r against people (AIH, table 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from staytrue.stats.correlation import pearson

TAUS = (0.1, 0.15, 0.3, 0.5)


@dataclass(frozen=True, slots=True)
class ThresholdRow:
    """One threshold; F1 and r are None without judgements, or where nothing varies."""

    tau: float
    rate: float
    f1: float | None
    r: float | None


def table(
    contradiction: Sequence[float],
    truth: Sequence[bool] | None = None,
    taus: Sequence[float] = TAUS,
) -> list[ThresholdRow]:
    """A row for each threshold; `contradiction` holds probabilities."""
    probabilities = np.asarray(contradiction, dtype=float)
    return [_row(tau, probabilities > tau, truth) for tau in taus] if len(probabilities) else []


def _row(tau: float, predicted: np.ndarray, truth: Sequence[bool] | None) -> ThresholdRow:
    if truth is None:
        return ThresholdRow(tau, float(predicted.mean()), None, None)
    wanted = np.asarray(truth, dtype=bool)
    both, either = int((predicted & wanted).sum()), int(predicted.sum() + wanted.sum())
    r = pearson(predicted.astype(float), wanted.astype(float))
    return ThresholdRow(tau, float(predicted.mean()), 2 * both / either if either else None, r)


def best(contradiction: Sequence[float], truth: Sequence[bool]) -> ThresholdRow:
    """The threshold with the highest F1, on a grid of hundredths."""
    rows = table(contradiction, truth, [n / 100 for n in range(1, 100)])
    return max(rows, key=lambda row: row.f1 or 0.0)
