"""Stored weights become what the graph multiplies with."""

from __future__ import annotations

import numpy as np

from staytrue.backends.embedded.encoder import by_column, expanded, unpack


def test_the_left_columns_are_the_low_halves_and_8_is_zero() -> None:
    codes = np.array([[0x98, 0x0F]], np.uint8)
    scales = np.array([[1.0, 2.0]], np.float16)
    assert unpack(codes, scales).tolist() == [[0.0, 7.0, 2.0, -16.0]]


def test_int8_weights_have_one_scale_a_column_and_keep_to_the_limit() -> None:
    weights = np.random.default_rng(1).normal(size=(50, 4)).astype(np.float32) * [1, 10, 0.1, 0]
    whole, scales = by_column(weights)
    assert whole.dtype == np.int8
    assert np.abs(whole).max(axis=0).tolist() == [63, 63, 63, 0]
    assert (np.abs(whole * scales - weights) <= scales * 0.501).all()


def test_four_bits_become_int8_and_eight_bits_float() -> None:
    rng = np.random.default_rng(2)
    stored = {
        "layer.codes": rng.integers(0, 256, size=(6, 32)).astype(np.uint8),
        "layer.scales": rng.uniform(0.5, 1, size=(6, 2)).astype(np.float16),
        "head.whole": rng.integers(-127, 128, size=(4, 3)).astype(np.int8),
        "head.scales": np.array([0.5, 1, 2], np.float32),
    }
    given = dict(expanded(stored))
    assert set(given) == {"layer.weight", "layer.column_scales", "head.weight"}
    matrix = unpack(stored["layer.codes"], stored["layer.scales"])
    assert given["layer.weight"].dtype == np.int8
    assert given["layer.weight"].shape == (64, 6)
    near = given["layer.weight"] * given["layer.column_scales"]
    assert (np.abs(near.T - matrix) <= given["layer.column_scales"][:, None] * 0.501).all()
    np.testing.assert_array_equal(given["head.weight"], stored["head.whole"] * [0.5, 1, 2])
    # onnxruntime reads them in place.
    assert all(array.flags.c_contiguous for array in given.values())
