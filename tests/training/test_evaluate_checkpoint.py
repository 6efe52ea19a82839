from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

from safetensors.numpy import save_file
from tests.training.large_model import expected, tiny_base, tiny_weights
from tokenizers import Tokenizer
from training import evaluate

from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.protocols import Pair

pytestmark = pytest.mark.torch


def test_a_checkpoint_is_measured_in_fp32(tmp_path: Path) -> None:
    base = tiny_base(tmp_path / "base")
    weights = tiny_weights(base)
    checkpoint = tmp_path / "latest.safetensors"
    save_file({k: v for k, v in weights.items() if not k.startswith("encoder.")}, checkpoint)
    options = argparse.Namespace(checkpoint=checkpoint, base=base, large=None)
    backend = evaluate.large_backend(options, tmp_path / "models")
    assert backend == (", latest.safetensors in fp32", tmp_path / "models")
    pair = Pair("coffee is a brewed drink .", "coffee was grown in yemen .")
    judged = EmbeddedBackend(size="large", large=str(backend[1])).infer([pair])[0]
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    ids = tokenizer.encode(pair.premise, pair.hypothesis).ids
    logits = expected(base, weights, ids)["entailment"]
    wanted = np.exp(logits) / np.exp(logits).sum()
    # Only the word vectors are rounded, to 8 bits.
    assert judged.entailment == pytest.approx(wanted[0], abs=0.05)
