"""Round weights to 4 bits: blocks of neighbouring inputs share a scale.

The scale of a block is the one, among a few, that loses least. `staytrue.backends.embedded.encoder`
says how the result is read.
"""

from __future__ import annotations

import numpy as np

from staytrue.backends.embedded.encoder import ZERO

BLOCK = 32
# Codes reach from -8 to 7. Cutting off the largest value of a block, or giving it the code -8, is
# often nearer to the other values.
_REACHES = [(limit, share) for limit in (7, 8) for share in np.linspace(0.75, 1.0, 11)]


def pack(weights: np.ndarray, block: int = BLOCK) -> tuple[np.ndarray, np.ndarray]:
    """Codes (uint8, two in a byte) and scales (float16, one per block) of a matrix.

    Its number of columns is a multiple of the block and of two.
    """
    rows, columns = weights.shape
    if columns % block or columns % 2:
        raise ValueError(f"{columns} columns cannot be cut into pairs and blocks of {block}")
    blocks = weights.reshape(rows, -1, block).astype(np.float32)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(-1)[..., None], -1)
    best_loss = np.full(largest.shape, np.inf, np.float32)
    codes, scales = np.zeros(blocks.shape, np.uint8), np.ones_like(largest)
    for limit, share in _REACHES:
        # float16 first: the codes then make up for the rounding of the scale.
        scale = (-largest * share / limit).astype(np.float16).astype(np.float32)
        scale[scale == 0] = 1.0
        whole = np.clip(np.rint(blocks / scale), -ZERO, ZERO - 1)
        loss = ((whole * scale - blocks) ** 2).sum(-1, keepdims=True)
        better = loss < best_loss
        best_loss = np.where(better, loss, best_loss)
        codes = np.where(better, whole + ZERO, codes).astype(np.uint8)
        scales = np.where(better, scale, scales)
    flat = codes.reshape(rows, columns)
    half = columns // 2
    return flat[:, :half] | (flat[:, half:] << 4), scales[..., 0].astype(np.float16)
