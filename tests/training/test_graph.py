from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

import torch
import transformers
from training import export, graph

torch.set_num_threads(1)  # the models are tiny
pytestmark = pytest.mark.torch


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The shape of the graph, and an encoder of it with weights that matter."""
    for name, value in (("LAYERS", 3), ("WIDTH", 24), ("HEADS", 2)):
        monkeypatch.setattr(graph, name, value)

    def make(kind: str) -> Any:
        torch.manual_seed(5)
        config = transformers.BertConfig(
            vocab_size=40, hidden_size=24, num_hidden_layers=3, num_attention_heads=2,
            intermediate_size=48, max_position_embeddings=32, initializer_range=0.3,
        )  # fmt: skip
        config.num_labels = 2 if "Question" in kind else 5
        return getattr(transformers, kind)(config).eval()

    return make


def outputs(model: Any, head: str, ids: np.ndarray, **options: Any) -> tuple[np.ndarray, ...]:
    """What the written graph gives for one example whose second text starts at token 4."""
    weights = {name: value.numpy() for name, value in model.state_dict().items()}
    whole = graph.build(weights, head, **options)
    session = onnxruntime.InferenceSession(
        whole.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    words = weights["bert.embeddings.word_embeddings.weight"][ids]
    positions = weights["bert.embeddings.position_embeddings.weight"][: len(ids)]
    segments = (np.arange(len(ids)) >= 4).astype(np.int64)
    feed = {"vectors": (words + positions)[None], "segments": segments[None]}
    return tuple(session.run(["logits", "state"], feed))


IDS = np.array([2, 17, 5, 3, 9, 30, 3])


def asked(model: Any) -> Any:
    with torch.inference_mode():
        return model(
            torch.from_numpy(IDS)[None],
            token_type_ids=torch.from_numpy((np.arange(7) >= 4).astype(np.int64))[None],
            output_hidden_states=True,
        )


def test_the_written_classifier_says_what_the_trained_one_says(small: Any) -> None:
    model = small("BertForSequenceClassification")
    logits, state = outputs(model, "classifier", IDS, int8=False)
    expected = asked(model)
    assert logits == pytest.approx(expected.logits.numpy(), abs=1e-4)
    assert state == pytest.approx(expected.hidden_states[graph.STATE_LAYER].numpy(), abs=1e-4)


def test_the_written_reader_says_what_the_trained_one_says(small: Any) -> None:
    model = small("BertForQuestionAnswering")
    logits, _ = outputs(model, "span", IDS, int8=False)
    expected = asked(model)
    assert logits[0, :, 0] == pytest.approx(expected.start_logits[0].numpy(), abs=1e-4)
    assert logits[0, :, 1] == pytest.approx(expected.end_logits[0].numpy(), abs=1e-4)


def test_int8_is_near_the_trained_model_and_more_bits_are_nearer(small: Any) -> None:
    model = small("BertForSequenceClassification")
    expected = asked(model).logits.numpy()
    far, near = (
        np.abs(outputs(model, "classifier", IDS, int8=True, limit=limit)[0] - expected).max()
        for limit in (3, 63)
    )
    assert near < 0.25 * np.abs(expected).max()
    assert near < far


@pytest.mark.parametrize(("int8", "near"), [(True, 0.02), (False, 1e-6)])
def test_an_exported_file_gives_its_weights_back(
    small: Any, tmp_path: Path, int8: bool, near: float
) -> None:
    for kind, head in (("BertForSequenceClassification", "classifier"),
                       ("BertForQuestionAnswering", "span")):  # fmt: skip
        model = small(kind)
        weights = {name: value.numpy() for name, value in model.state_dict().items()}
        export.write_vectors(weights, tmp_path)
        file = tmp_path / "model.onnx"
        file.write_bytes(graph.build(weights, head, int8=int8).SerializeToString())
        back = graph.read_back(file)
        assert set(back) == set(weights)
        for name, value in weights.items():
            rounded = "embeddings" in name and "LayerNorm" not in name
            largest = np.abs(value).max()
            assert np.abs(back[name] - value).max() <= (0.02 if rounded else near) * largest, name
