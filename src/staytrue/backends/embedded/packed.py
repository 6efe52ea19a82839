"""Weights that are stored in 4 or 8 bits, expanded to what the graph multiplies with.

A 4-bit value is `(code - 8) · scale` with a code from 0 to 15; two codes share a byte, and blocks
of neighbouring inputs share a scale. Multiplying in int8 is quickest on processors of every age, so
that is what 4-bit matrices become, with one scale for each output.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

ZERO = 8
# With 63 the products of two neighbours fit into 16 bits, which processors without VNNI
# instructions need: they would silently saturate otherwise.
LIMIT = 63


def unpack(codes: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """float32 [outputs, inputs] of codes [outputs, inputs / 2] and scales [outputs, blocks].

    The low halves of the bytes hold the left columns, the high halves the right ones.
    """
    import numpy as np

    whole = np.concatenate([codes & 15, codes >> 4], axis=1).astype(np.float32)
    whole -= ZERO
    rows, columns = whole.shape
    blocks = whole.reshape(rows, scales.shape[1], -1) * scales.astype(np.float32)[..., None]
    return blocks.reshape(rows, columns)


def by_column(weights: np.ndarray, limit: int = LIMIT) -> tuple[np.ndarray, np.ndarray]:
    """int8 weights [inputs, outputs] with one scale for each output column."""
    import numpy as np

    largest = np.abs(weights).max(axis=0)
    scales = np.where(largest > 0, largest / limit, 1.0).astype(np.float32)
    return np.clip(np.rint(weights / scales), -limit, limit).astype(np.int8), scales


def expanded(stored: Mapping[str, np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    """The graph's weights by name, from the arrays of the weights file.

    `layer.codes` and `layer.scales` become the int8 matrix `layer.weight` and its
    `layer.column_scales`; `layer.whole` and `layer.scales` become a float matrix.
    """
    import numpy as np

    for name in stored:
        layer, _, kind = name.rpartition(".")
        if kind == "codes":
            matrix = unpack(stored[name], stored[f"{layer}.scales"])
            whole, scales = by_column(matrix.T)
            yield f"{layer}.weight", np.ascontiguousarray(whole)
            yield f"{layer}.column_scales", scales
        elif kind == "whole":
            matrix = stored[name] * stored[f"{layer}.scales"]
            yield f"{layer}.weight", np.ascontiguousarray(matrix)
