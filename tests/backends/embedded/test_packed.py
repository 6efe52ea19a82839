"""Stored weights become what the graph multiplies with."""

from __future__ import annotations

import numpy as np
import pytest

from staytrue.backends.embedded.encoder import by_column, expanded


def test_int8_weights_have_one_scale_a_column_and_keep_to_the_limit() -> None:
    weights = np.random.default_rng(1).normal(size=(50, 4)).astype(np.float32) * [1, 10, 0.1, 0]
    whole, scales = by_column(weights)
    assert whole.dtype == np.int8
    assert np.abs(whole).max(axis=0).tolist() == [63, 63, 63, 0]
    assert (np.abs(whole * scales - weights) <= scales * 0.501).all()


def test_codes_are_multiplied_as_they_are_and_heads_become_float() -> None:
    rng = np.random.default_rng(2)
    stored = {
        "layer.codes": rng.integers(-63, 64, size=(6, 32)).astype(np.int8),
        "layer.scales": rng.uniform(0.5, 1, size=6).astype(np.float32),
        "head.whole": rng.integers(-127, 128, size=(4, 3)).astype(np.int8),
        "head.scales": np.array([0.5, 1, 2], np.float32),
    }
    given = dict(expanded(stored))
    assert set(given) == {"layer.weight", "layer.column_scales", "head.weight"}
    np.testing.assert_array_equal(given["layer.weight"], stored["layer.codes"].T)
    np.testing.assert_array_equal(given["layer.column_scales"], stored["layer.scales"])
    np.testing.assert_array_equal(given["head.weight"], stored["head.whole"] * [0.5, 1, 2])
    # onnxruntime reads them in place.
    assert all(array.flags.c_contiguous for array in given.values())


def test_an_adapter_is_added_to_the_matrix_and_leaves_the_heads_out() -> None:
    rng = np.random.default_rng(3)
    stored = {
        "layer.codes": rng.integers(-63, 64, size=(6, 32)).astype(np.int8),
        "layer.scales": rng.uniform(0.5, 1, size=6).astype(np.float32),
        "head.whole": np.ones((4, 3), np.int8), "head.scales": np.ones(3, np.float32),
    }  # fmt: skip
    adapter = {
        "layer.up": rng.integers(-127, 128, size=(2, 6)).astype(np.int8),
        "layer.down": rng.integers(-127, 128, size=(2, 32)).astype(np.int8),
        "layer.rank_scales": np.array([[0.01], [0.02]], np.float32),
    }
    given = dict(expanded(stored, adapter))
    assert set(given) == {"layer.weight", "layer.column_scales"}
    up = adapter["layer.up"] * adapter["layer.rank_scales"]
    wanted = stored["layer.codes"] * stored["layer.scales"][:, None] + up.T @ adapter["layer.down"]
    near = given["layer.weight"] * given["layer.column_scales"]
    assert (np.abs(near.T - wanted) <= given["layer.column_scales"][:, None] * 0.501).all()


@pytest.mark.parametrize("adapter", [None, {"layer.up": np.ones((2, 6), np.int8)}])
def test_codes_that_are_packed_in_4_bits_are_refused(adapter: dict[str, np.ndarray] | None) -> None:
    stored = {
        "layer.codes": np.zeros((6, 32), np.uint8), "layer.scales": np.ones((6, 2), np.float16),
    }  # fmt: skip
    with pytest.raises(TypeError, match=r"layer\.codes"):
        dict(expanded(stored, adapter))
