from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

from safetensors.numpy import save_file
from tests.training.large_model import tiny_base, tiny_weights
from training import export_large, splits
from training.reading_data import ReadingRow

from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.protocols import Query

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_base(tmp_path_factory.mktemp("base"))


@pytest.fixture
def checkpoint(base: Path, tmp_path: Path) -> Path:
    """The heads and the last layer, in half precision as they may be kept."""
    trained = {
        name: (value * 2).astype(np.float16)
        for name, value in tiny_weights(base).items()
        if not name.startswith("encoder.") or ".layer.2." in name
    }
    save_file(trained, tmp_path / "latest.safetensors")
    return tmp_path / "latest.safetensors"


def test_a_checkpoint_fills_up_with_the_base(base: Path, checkpoint: Path) -> None:
    own, plain = export_large.weights_of(checkpoint, base), tiny_weights(base)
    assert set(own) == set(plain) - {"encoder.embeddings.position_ids"}
    for name, value in own.items():
        trained = not name.startswith("encoder.") or ".layer.2." in name
        assert value == pytest.approx(plain[name] * (2 if trained else 1), abs=2e-3), name


def test_a_checkpoint_of_another_shape_is_one_sentence(base: Path, tmp_path: Path) -> None:
    file = tmp_path / "other.safetensors"
    save_file({"encoder.encoder.layer.9.output.dense.bias": np.zeros(4, np.float32)}, file)
    with pytest.raises(SystemExit, match="does not fit the base"):
        export_large.weights_of(file, base)


def test_one_command_writes_everything(
    base: Path, checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {"knowledge": "coffee is a brewed drink .", "response": text, "consistent": right,
         "label": "entailment" if right else "hallucination", "history": ["tea ?"]}
        for text, right in (("coffee is a drink .", True), ("tea was grown .", False))
    ]  # fmt: skip
    asked = []

    def constants(part: str) -> list[dict[str, object]]:
        asked.append(part)
        return rows

    monkeypatch.setattr(splits, "audit", constants)
    monkeypatch.setattr(splits, "grounded_claims", constants)
    out = tmp_path / "models"
    monkeypatch.setattr(
        "sys.argv",
        ["export", "--from", str(checkpoint), "--base", str(base), "--out", str(out)],
    )
    export_large.main()
    assert set(asked) == {"constants"}, "no temperature is fitted on rows for reporting"
    manifest = json.loads((out / "models.json").read_text())
    assert {path.name for path in out.iterdir()} == {*manifest["files"], "models.json"}
    for name, wanted in manifest["files"].items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == wanted
    assert set(manifest["models"]) == {"entailment", "groundedness"}
    rows_seen = {name: model["calibration_rows"] for name, model in manifest["models"].items()}
    assert rows_seen == {"entailment": 4, "groundedness": 2}
    assert all(model["temperature"] > 0 for model in manifest["models"].values())


def test_a_two_way_temperature_makes_sure_and_wrong_less_sure() -> None:
    logits = np.array([[4.0, 0.0, 0.0]] * 10)
    often = np.array([True] * 9 + [False])
    seldom = np.array([True] * 5 + [False] * 5)
    calm, hot = (export_large.best_two_way_temperature(logits, one) for one in (often, seldom))
    assert 0.5 < calm < hot
    chance = np.exp(4 / calm) / (np.exp(4 / calm) + 2)
    assert chance == pytest.approx(0.9, abs=0.02)


def test_a_reading_head_gets_its_threshold_from_questions_kept_from_training(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passage = "coffee was first grown in yemen . tea is a drink ."
    start = passage.index("yemen")
    readings = [
        ReadingRow("squad2_kept", "where was coffee grown ?", passage, start, start + 5),
        ReadingRow("squad2", "seen in training", "not this one", 0, 3),
    ]
    asked: list[str] = []
    silent = [{"question": "who was it ?", "context": "tea is a drink ."}]
    monkeypatch.setattr(export_large, "squad2_readings", lambda _: iter(readings))
    monkeypatch.setattr(splits, "unanswerable", lambda: ([{"question": "trained"}], silent))
    monkeypatch.setattr(splits, "audit", lambda _: [])
    real = export_large.reading_curves

    def recorded(reader, queries, golds, *rest):
        asked.extend(query.question for query in queries)
        return real(reader, queries, golds, *rest)

    monkeypatch.setattr(export_large, "reading_curves", recorded)
    folder = tmp_path / "models"
    manifest = export_large.export(tiny_weights(base, reading=True), base, folder)
    fitted = export_large.reading_fit(folder, 10)
    assert asked == ["where was coffee grown ?", "who was it ?"]
    manifest["models"]["reading"] |= fitted
    export_large.write_manifest(manifest, folder)
    backend = EmbeddedBackend(large=str(folder))
    answer = backend.answer([Query("where was coffee grown ?", passage)])[0]
    assert 0 <= answer.confidence <= 1


def test_without_a_fit_no_large_reader_is_shipped(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint, out = tmp_path / "latest.safetensors", tmp_path / "models"
    heads = {k: v for k, v in tiny_weights(base, reading=True).items() if "encoder" not in k}
    save_file(heads, checkpoint)
    monkeypatch.setattr(
        "sys.argv",
        ["export", "--from", str(checkpoint), "--base", str(base), "--out", str(out),
         "--rows", "0"],
    )  # fmt: skip
    export_large.main()
    manifest = json.loads((out / "models.json").read_text())
    assert set(manifest["models"]) == {"entailment", "groundedness"}
