"""A model written as Q8_0 has the same entries and nearly the same weights."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.reencode import reencode


def test_without_the_reader_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(SystemExit, match="pip install gguf"):
        reencode(tmp_path / "a.gguf", tmp_path / "b.gguf")


def test_weights_move_by_at_most_half_a_step_of_their_block(tmp_path: Path) -> None:
    gguf = pytest.importorskip("gguf")
    kinds = gguf.GGMLQuantizationType
    weights = np.random.default_rng(0).normal(size=(4, 64)).astype(np.float32)
    packed = gguf.quants.quantize(weights, kinds.Q4_1)
    writer = gguf.GGUFWriter(tmp_path / "a.gguf", "llama")
    writer.add_array("words", ["tea", "milk"])
    writer.add_tensor("layer", packed, raw_dtype=kinds.Q4_1)
    writer.add_tensor("norm", np.ones(8, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()

    reencode(tmp_path / "a.gguf", tmp_path / "b.gguf")

    copy = gguf.GGUFReader(tmp_path / "b.gguf")
    layer, norm = copy.tensors
    assert copy.fields["words"].contents() == ["tea", "milk"]
    assert (layer.tensor_type, norm.tensor_type) == (kinds.Q8_0, kinds.F32)
    before = gguf.quants.dequantize(packed, kinds.Q4_1).reshape(-1, 32)
    after = gguf.quants.dequantize(layer.data, kinds.Q8_0).reshape(-1, 32)
    moved = np.abs(after - before) / np.abs(before).max(axis=1, keepdims=True)
    assert moved.max() < 0.0045  # half of 1/127, and the scale is a 16-bit number
