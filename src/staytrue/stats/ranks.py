"""Ranks, and where each row stands among the rows of the other class: pure arithmetic."""

from __future__ import annotations

import numpy as np


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1; equal values share their mean rank.

    The same as `scipy.stats.rankdata`, whose import alone takes longer than most commands.
    """
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return ((last - counts + 1 + last) / 2)[inverse]


def placements(scores: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """For each row the share of the other class that it is on the right side of, ties half."""
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    overall = ranks(scores)
    placed = np.empty(len(scores))
    placed[positive] = (overall[positive] - ranks(scores[positive])) / n_negative
    placed[~positive] = 1 - (overall[~positive] - ranks(scores[~positive])) / n_positive
    return placed
