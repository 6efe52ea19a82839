from __future__ import annotations

import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from training.steps import STEP, pack, unpack

from staytrue.backends.embedded.encoder import LIMIT


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@given(st.integers(0, 10_000), st.floats(1e-4, 1e4))
def test_no_value_moves_by_more_than_half_a_step(seed: int, size: float) -> None:
    weights = size * normal(seed, 4, 128)
    weights[0, 0] *= 50  # an outlier makes the steps of its row larger, and is reached
    codes, steps = pack(weights)
    assert codes.dtype == np.int8
    assert np.abs(codes).max() <= LIMIT
    assert (np.abs(unpack(codes, steps) - weights) <= 0.501 * steps[:, None]).all()
    typical = np.sqrt((weights[1:] ** 2).mean(axis=1))
    assert (steps[1:] < 1.2 * STEP * typical).all()


def test_rounding_again_changes_hardly_a_row() -> None:
    once = unpack(*pack(normal(2, 200, 256)))
    same = (unpack(*pack(once)) == once).all(axis=1)
    assert same.mean() > 0.95


def test_compressed_it_takes_less_than_six_bits_a_weight() -> None:
    codes, steps = pack(normal(3, 768, 768))
    file = io.BytesIO()
    np.savez_compressed(file, codes=codes, steps=steps)
    assert 8 * file.tell() / codes.size < 5.7


def test_rows_of_zeros_stay_zeros() -> None:
    weights = normal(4, 3, 64)
    weights[1] = 0
    assert not unpack(*pack(weights))[1].any()
