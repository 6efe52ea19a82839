from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from training.four_bits import pack

from staytrue.backends.embedded.encoder import unpack


def test_a_matrix_on_the_grid_comes_back_exactly() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(-8, 8, size=(6, 4, 32)).astype(np.float32)
    codes[..., 0] = -8  # every block uses the whole range
    scales = 2.0 ** rng.integers(-6, 3, size=(6, 4, 1))
    weights = (codes * scales).reshape(6, 128).astype(np.float32)
    np.testing.assert_array_equal(unpack(*pack(weights)), weights)


@given(st.integers(0, 10_000), st.sampled_from([16, 32, 64]))
def test_no_value_moves_by_more_than_its_block_allows(seed: int, block: int) -> None:
    weights = np.random.default_rng(seed).normal(size=(4, 128)).astype(np.float32)
    largest = np.abs(weights.reshape(4, -1, block)).max(-1, keepdims=True)
    moved = np.abs(unpack(*pack(weights, block)) - weights).reshape(4, -1, block)
    # At most a quarter of the range is cut off, where that is nearer to the other values.
    assert (moved <= 0.27 * largest).all()
    assert (moved**2).mean() < 0.02 * (weights**2).mean()


def test_packing_again_changes_nothing() -> None:
    weights = np.random.default_rng(2).normal(size=(8, 256)).astype(np.float32)
    once = unpack(*pack(weights))
    np.testing.assert_allclose(unpack(*pack(once)), once, atol=2e-3)


def test_it_takes_half_a_byte_a_weight_and_two_bytes_a_block() -> None:
    codes, scales = pack(np.ones((10, 320), np.float32), 32)
    assert codes.nbytes == 10 * 160
    assert scales.nbytes == 10 * 10 * 2


def test_zeros_stay_zeros() -> None:
    assert not unpack(*pack(np.zeros((2, 64), np.float32))).any()


def test_a_search_for_the_scale_beats_the_largest_value() -> None:
    weights = np.random.default_rng(3).normal(size=(64, 512)).astype(np.float32)
    blocks = weights.reshape(64, -1, 32)
    scales = np.abs(blocks).max(-1, keepdims=True) / 7
    plain = ((np.rint(blocks / scales) * scales - blocks) ** 2).mean()
    assert ((unpack(*pack(weights)) - weights) ** 2).mean() < 0.85 * plain


def test_columns_that_make_no_whole_blocks_are_refused() -> None:
    with pytest.raises(ValueError, match="blocks of 32"):
        pack(np.ones((2, 40), np.float32))
