"""Rows that share a claim and differ in the passage: the two are drawn into one batch."""

from __future__ import annotations

import numpy as np

ALONE = 0  # the bundle of rows that have no partner


def partners(bundles: np.ndarray) -> np.ndarray:
    """The other row of each row's bundle; the row itself where there is none."""
    own = np.arange(len(bundles))
    order = np.argsort(bundles, kind="stable")
    ordered = bundles[order]
    same = np.flatnonzero((ordered[1:] == ordered[:-1]) & (ordered[1:] != ALONE))
    first, second = order[same], order[same + 1]
    own[first], own[second] = second, first
    return own


def by_length(
    block: np.ndarray, other: np.ndarray, lengths: np.ndarray, size: int
) -> list[np.ndarray]:
    """The rows of a block as batches of like length; a row and its partner are in one batch."""
    batches: list[list[int]] = [[]]
    longest = np.maximum(lengths[block], lengths[other[block]])
    for row in block[np.argsort(longest, kind="stable")].tolist():
        if len(batches[-1]) >= size:
            batches.append([])
        batches[-1] += dict.fromkeys((row, int(other[row])))
    return [np.array(batch) for batch in batches]
