from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

import onnx
import torch
from safetensors.torch import load_file
from tests.training.large_model import tiny_base, tiny_weights
from tests.training.test_mixed import ROWS, write
from training import adapter, export_large, mixed
from training.large_graph import read_back

from staytrue.backends.embedded import EmbeddedBackend, ModelFiles
from staytrue.backends.embedded.encoder import expanded
from staytrue.core.protocols import Pair, Query

torch.set_num_threads(1)  # the models are tiny
pytestmark = pytest.mark.torch
RANK = 4


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_base(tmp_path_factory.mktemp("base"))


@pytest.fixture
def shipped(base: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    export_large.export(tiny_weights(base), base, folder)
    return folder


def trained(base: Path, shipped: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkpoint of a reader that has learned for a moment, as the command line makes it."""
    data = write(folder / "rows.npz", ROWS)
    monkeypatch.setattr(
        "sys.argv",
        ["mixed", "--base", str(base), "--data", str(data), "--folder", str(folder / "reader"),
         "--from", str(shipped / "encoder.onnx"), "--adapter", str(RANK), "--minutes", "0.03",
         "--rate", "0.01", "--batch", "4", "--frozen", "1", "--dropout", "0", "--threads", "1"],
    )  # fmt: skip
    mixed.main()
    return folder / "reader" / "latest.safetensors"


def test_an_adapted_layer_starts_as_the_layer_itself() -> None:
    torch.manual_seed(1)
    layer = torch.nn.Linear(8, 5)
    rows = torch.randn(3, 8)
    before = layer(rows)
    adapter.adapt(torch.nn.Sequential(layer), 2)
    assert type(layer) is adapter.AdaptedLinear
    assert torch.equal(layer(rows), before)
    layer.up.data += 1
    assert not torch.allclose(layer(rows), before)


def test_only_layers_that_were_to_be_trained_are_adapted() -> None:
    frozen, free = torch.nn.Linear(8, 5), torch.nn.Linear(5, 2)
    frozen.weight.requires_grad = False
    adapter.adapt(torch.nn.Sequential(frozen, free), 2)
    assert type(frozen) is torch.nn.Linear
    assert not free.weight.requires_grad
    assert free.bias.requires_grad


def test_a_reader_is_trained_and_exported_and_the_other_heads_answer_as_before(
    base: Path, shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = [Pair("coffee is a drink .", "tea is a drink ."), Pair("coffee .", "it was grown .")]
    before = EmbeddedBackend(size="large", large=str(shipped))
    answers, revision = before.infer(pairs), before.models()["infer"]
    checkpoint = trained(base, shipped, tmp_path, monkeypatch)
    export_large.export_reading(checkpoint, shipped, 0)
    after = EmbeddedBackend(size="large", large=str(shipped))
    assert after.infer(pairs) == answers
    assert after.models()["infer"] == revision
    assert "large-reading" in after.models()["answer"]
    answer = after.answer([Query("who ?", "coffee was first grown in yemen .")])[0]
    assert answer.text is None or answer.text in "coffee was first grown in yemen ."


def test_the_exported_reader_has_the_weights_of_the_trained_one(
    base: Path, shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = read_back(shipped / "encoder.onnx")
    checkpoint = trained(base, shipped, tmp_path, monkeypatch)
    own = {name: value.numpy() for name, value in load_file(checkpoint).items()}
    export_large.export_reading(checkpoint, shipped, 0)
    with np.load(shipped / "weights.npz") as stored, np.load(shipped / "reading.npz") as small:
        given = dict(expanded(stored, dict(small)))
    adapted = [name.removesuffix(".down") for name in own if name.endswith(".down")]
    assert len(adapted) == 2 * 6, "two of three layers are trained, with six matrices each"
    for layer in adapted:
        added = adapter.STRENGTH * own[f"{layer}.up"] @ own[f"{layer}.down"]
        wanted = weights[f"{layer}.weight"] + added
        steps = given[f"{layer}.column_scales"]
        near = given[f"{layer}.weight"].T * steps[:, None]
        assert np.abs(added).max() > 0
        # Half a step of the int8 matrix, and what int8 takes from the two small ones.
        assert (np.abs(near - wanted) <= 0.5 * steps[:, None] + 0.02 * np.abs(added).max()).all()
    graph = onnx.load(str(shipped / "reading.onnx"), load_external_data=False).graph
    constants = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer
                 if one.data_location != onnx.TensorProto.EXTERNAL}  # fmt: skip
    norm = "encoder.encoder.layer.2.output.LayerNorm.weight"
    assert np.array_equal(constants[norm], own[norm])
    assert not np.array_equal(own[norm], weights[norm])


def test_an_adapter_changes_the_revision_of_its_model_alone(shipped: Path, tmp_path: Path) -> None:
    manifest = json.loads((shipped / "models.json").read_text())
    manifest["models"]["reading"] = {"file": "encoder.onnx", "adapter": "reading.npz"}
    revisions = []
    for digest in ("one", "two"):
        manifest["files"]["reading.npz"] = digest
        (shipped / "models.json").write_text(json.dumps(manifest))
        files = ModelFiles(shipped)
        revisions.append((files.revision("reading"), files.revision("entailment")))
    assert revisions[0][0] != revisions[1][0]
    assert revisions[0][1] == revisions[1][1]


def test_a_task_with_an_adapter_is_not_given_the_heads_of_the_others() -> None:
    heads = {"grounded.0.whole": np.ones((2, 2), np.int8), "grounded.0.scales": np.ones(2)}
    small = {"layer.up": np.ones((1, 2), np.int8)}
    assert [name for name, _ in expanded(heads)] == ["grounded.0.weight"]
    assert list(expanded(heads, small)) == []


def test_training_goes_on_from_an_exported_reader(
    base: Path, shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = load_file(trained(base, shipped, tmp_path, monkeypatch))
    export_large.export_reading(tmp_path / "reader" / "latest.safetensors", shipped, 0)
    again = read_back(shipped / "reading.onnx")
    layers = [name.removesuffix(".down") for name in checkpoint if name.endswith(".down")]
    assert layers
    for layer in layers:
        wanted = checkpoint[f"{layer}.up"] @ checkpoint[f"{layer}.down"]
        product = again[f"{layer}.up"] @ again[f"{layer}.down"]
        np.testing.assert_allclose(product, wanted, atol=0.02 * float(wanted.abs().max()))
        lengths = np.linalg.norm(again[f"{layer}.down"], axis=1)
        np.testing.assert_allclose(lengths, 1.0, rtol=1e-5)
    np.testing.assert_allclose(again["reading.bias"], checkpoint["reading.bias"], atol=1e-6)
