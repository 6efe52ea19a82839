"""Round matrices to steps: the int8 numbers that the product multiplies with, stored small.

A row has one step, a share of its typical size, so that most numbers are small; compressed they
take five and a half bits each. Blocks of 4 bits, as there were before, take four and a half, but
cost 0.06 of the ROC-AUC on written passages, where a word or two decide
(`training/cards/large.md`).
"""

from __future__ import annotations

import numpy as np

from staytrue.backends.embedded.encoder import LIMIT

# Of the root mean square of a row.
STEP = 0.11
# Steps are powers of 2 to the quarter: while weights are trained they seldom change.
_PARTS = 4


def pack(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes (int8) and the step of each row (float32) of a matrix."""
    weights = weights.astype(np.float32)
    steps = steps_of(weights)
    return np.rint(weights / steps[:, None]).clip(-LIMIT, LIMIT).astype(np.int8), steps


def steps_of(weights: np.ndarray) -> np.ndarray:
    """The step of each row."""
    largest = np.abs(weights).max(axis=1)
    empty = largest == 0
    typical = np.sqrt((weights**2).mean(axis=1))
    wanted = np.rint(_PARTS * np.log2(np.where(empty, 1.0, STEP * typical)))
    # The largest must be reached.
    least = np.ceil(_PARTS * np.log2(np.where(empty, 1.0, largest) / LIMIT))
    steps: np.ndarray = np.exp2(np.maximum(wanted, least) / _PARTS).astype(np.float32)
    return steps


def unpack(codes: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """The matrix, rounded."""
    matrix: np.ndarray = codes * steps[:, None]
    return matrix
