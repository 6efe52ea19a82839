from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

import torch
from training import variants
from training.tasks import EntailmentTask

pytestmark = pytest.mark.torch


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(variants, "CHECKPOINTS", tmp_path)
    monkeypatch.setattr(variants, "FOLDER", tmp_path)
    return tmp_path


def test_the_pairs_of_one_source_are_a_file_of_their_own(folder: Path) -> None:
    (folder / "data").mkdir()
    np.savez(
        folder / "data" / "entailment.npz", ids=np.arange(12), lengths=np.array([3, 4, 5]),
        premise_lengths=np.array([1, 2, 3]), labels=np.array([0, 1, 2]),
        sources=np.array([1, 0, 1]), source_names=np.array(["mnli", "dnli_rcdg"]),
        entailed=np.array([0, 0, 700]), contradicted=np.array([0, 0, 100]),
    )  # fmt: skip
    alone = EntailmentTask(variants.one_source("dnli_rcdg"))
    assert alone.labels.tolist() == [0, 2]
    assert alone.tokens.lengths.tolist() == [3, 5]
    assert alone.taught[1].tolist() == pytest.approx([0.7, 0.2, 0.1])
    assert alone.tokens.ids.tolist() == [0, 1, 2, 7, 8, 9, 10, 11]
    assert set(next(alone.batches(8, 1))) <= {0, 1}


def test_the_plain_encoder_has_the_names_that_the_models_use(folder: Path) -> None:
    from safetensors.torch import save_file

    save_file({"pooler.dense.bias": torch.ones(2).half()}, folder / "model.safetensors")
    saved = torch.load(variants.plain_encoder(folder), weights_only=True)
    assert list(saved) == ["bert.pooler.dense.bias"]
    assert saved["bert.pooler.dense.bias"].dtype == torch.float32
