"""Precision and recall of both classes over thresholds (Q², figures 3 and 4): pure arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from staytrue.stats.classification import ClassFigures, accuracy, class_figures

THRESHOLDS = tuple(round(step / 20, 2) for step in range(20))


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """How both classes fare when a score above the threshold means consistent."""

    threshold: float
    consistent: ClassFigures
    inconsistent: ClassFigures
    accuracy: float | None


def curve(
    scores: np.ndarray, consistent: np.ndarray, thresholds: Sequence[float] = THRESHOLDS
) -> list[CurvePoint]:
    """One point per threshold; a score equal to it counts as inconsistent."""
    return [
        CurvePoint(
            threshold,
            class_figures(scores > threshold, consistent),
            class_figures(scores <= threshold, ~consistent),
            accuracy(scores, consistent, threshold),
        )
        for threshold in thresholds
    ]
