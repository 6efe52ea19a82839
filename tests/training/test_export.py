from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training.common import SHIPPED

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

import torch
from training import export as exporting

pytestmark = pytest.mark.torch

WORDS = "bert.embeddings.word_embeddings.weight"
POSITIONS = "bert.embeddings.position_embeddings.weight"


def weights() -> dict[str, Any]:
    torch.manual_seed(4)
    words = torch.randn(6, 8)
    words[3] = 0.0
    return {WORDS: words, POSITIONS: torch.randn(4, 8)}


def test_a_checkpoint_tells_its_weights_its_steps_and_what_was_drawn(tmp_path: Path) -> None:
    drawn = torch.tensor([True, False, True])
    torch.save({"model": weights(), "step": 7, "drawn": drawn}, tmp_path / "latest.pt")
    restored, steps, seen = exporting.state(tmp_path / "latest.pt")
    assert steps == 7
    assert seen is not None
    assert seen.tolist() == [True, False, True]
    assert np.array_equal(restored[WORDS], weights()[WORDS].numpy())


def test_final_weights_alone_do_not_know_what_was_drawn(tmp_path: Path) -> None:
    torch.save({name: value.half() for name, value in weights().items()}, tmp_path / "final.pt")
    restored, steps, seen = exporting.state(tmp_path / "final.pt")
    assert (steps, seen) == (0, None)
    assert restored[WORDS].dtype == np.float32


def test_word_vectors_are_int8_with_a_scale_a_word_and_stay_near(tmp_path: Path) -> None:
    own = {name: value.numpy() for name, value in weights().items()}
    exporting.write_vectors(own, tmp_path)
    written = np.load(tmp_path / "vectors.npz")
    assert written["words"].dtype == np.int8
    read = written["words"] * written["scales"][:, None]
    off = np.abs(read - own[WORDS]).max(axis=1)
    assert (off <= written["scales"] / 2 + 1e-6).all()
    assert not read[3].any(), "a word without a vector stays without"
    assert (written["scales"] > 0).all(), "nothing is divided by zero"
    assert written["positions"] == pytest.approx(own[POSITIONS], abs=1e-2)


class Graph:
    def SerializeToString(self) -> bytes:
        return b"a graph"


@pytest.fixture
def exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Export a checkpoint without building a real graph; gives the manifest."""
    torch.save({"model": weights(), "step": 7}, tmp_path / "latest.pt")
    monkeypatch.setattr(exporting, "WARM_START", SHIPPED)
    monkeypatch.setattr(exporting, "build", lambda *_, **__: Graph())
    for name in ("entailment", "reading", "groundedness"):
        monkeypatch.setattr(exporting, f"{name}_settings", lambda *_, name=name: {"by": name})

    def go(name: str) -> dict[str, Any]:
        exporting.export(name, tmp_path / "latest.pt", tmp_path / "models")
        output: dict[str, Any] = json.loads((tmp_path / "models" / "models.json").read_text())
        return output

    return go


@pytest.mark.parametrize(
    ("name", "labels"), [("entailment", 3), ("groundedness", 5), ("reading", 0)]
)
def test_the_manifest_says_how_a_model_was_calibrated_and_its_labels(
    exported: Any, name: str, labels: int
) -> None:
    made = exported(name)["models"][name]
    assert made["by"] == name
    assert (made["file"], made["steps"]) == (f"{name}.onnx", 7)
    assert len(made.get("labels", [])) == labels


def test_the_manifest_grows_by_each_model_and_has_the_hash_of_every_file(
    exported: Any, tmp_path: Path
) -> None:
    exported("entailment")
    manifest = exported("reading")
    assert set(manifest["models"]) == {"entailment", "reading"}
    assert set(manifest["files"]) == {
        "vectors.npz", "tokenizer.json", "entailment.onnx", "reading.onnx"
    }  # fmt: skip
    for name, digest in manifest["files"].items():
        content = (tmp_path / "models" / name).read_bytes()
        assert digest == hashlib.sha256(content).hexdigest()


def test_a_file_is_written_anew_with_the_same_weights(tmp_path: Path) -> None:
    for name in ("models.json", "vectors.npz", "groundedness.onnx"):
        (tmp_path / name).write_bytes((SHIPPED / name).read_bytes())
    file = tmp_path / "groundedness.onnx"
    before, settings = constants(file), exporting.read_manifest(tmp_path)["models"]
    exporting.rewrite("groundedness", tmp_path)
    after = constants(file)
    assert before.keys() <= after.keys()
    assert all(np.array_equal(before[name], after[name]) for name in before)
    manifest = exporting.read_manifest(tmp_path)
    assert manifest["files"][file.name] == exporting.digest(file)
    assert manifest["models"] == settings


def constants(file: Path) -> dict[str, np.ndarray]:
    """The weights that a file holds."""
    import onnx

    stored = onnx.load(str(file)).graph.initializer
    return {one.name: onnx.numpy_helper.to_array(one) for one in stored}
