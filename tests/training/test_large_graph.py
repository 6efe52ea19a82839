from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

import torch
from tests.training.large_model import LAYERS, WIDTH, expected, tiny_base, tiny_weights
from training import large_graph
from training.export_large import export
from training.steps import pack, unpack

from staytrue.backends.embedded.encoder import expanded

torch.set_num_threads(1)  # the models are tiny
pytestmark = pytest.mark.torch

PAIR = [0, 4, 5, 6, 8, 20, 2, 2, 7, 9, 10, 20, 2]
LONG = [0, *(4 + n % 26 for n in range(150)), 2, 2, 4, 5, 19, 2]  # beyond the farthest bucket


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_base(tmp_path_factory.mktemp("base"))


def run(
    weights: dict[str, np.ndarray], ids: list[int], *, every: bool = False, int8: bool = True
) -> dict[str, np.ndarray]:
    """What each output of the graph says of the tokens."""
    graph, stored = large_graph.build(weights, int8=int8)
    arrays = dict(expanded(stored))
    options = onnxruntime.SessionOptions()
    options.add_external_initializers(
        list(arrays), [onnxruntime.OrtValue.ortvalue_from_numpy(one) for one in arrays.values()]
    )
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    words = weights["encoder.embeddings.word_embeddings.weight"][ids]
    positions = weights["encoder.embeddings.position_embeddings.weight"][2 : 2 + len(ids)]
    places = np.arange(len(ids) if every else 1)
    feed = {"vectors": (words + positions)[None], "places": places}
    names = [output.name for output in session.get_outputs()]
    return {name: values[0] for name, values in zip(names, session.run(None, feed), strict=True)}


@pytest.mark.parametrize("ids", [PAIR, LONG])
def test_every_head_says_what_pytorch_says(base: Path, ids: list[int]) -> None:
    weights = tiny_weights(base, reading=True)
    outputs = run(weights, ids, every=True, int8=False)
    wanted = expected(base, weights, ids)
    assert set(outputs) == {"entailment", "groundedness", "reading"}
    for name in outputs:
        assert outputs[name] == pytest.approx(wanted[name], abs=2e-4), name


def test_the_first_token_alone_gives_the_same_verdict(base: Path) -> None:
    weights = tiny_weights(base)
    assert set(large_graph.outputs(weights)) == {"entailment", "groundedness"}
    for int8 in (False, True):
        alone = run(weights, PAIR, int8=int8)
        every = run(weights, PAIR, every=True, int8=int8)
        for name in alone:
            assert alone[name] == pytest.approx(every[name], abs=1e-4), name


def test_what_is_stored_runs_as_near_as_its_rounding(base: Path) -> None:
    weights = tiny_weights(base)
    rounded = {
        name: unpack(*pack(value)) if ".layer." in name and value.ndim == 2 else value
        for name, value in weights.items()
    }
    outputs = run(weights, PAIR)
    exact, stored = expected(base, weights, PAIR), expected(base, rounded, PAIR)
    for name in outputs:
        size = np.abs(exact[name]).max()
        # int8 products cost little …
        assert np.abs(outputs[name] - stored[name]).max() < 0.12 * size, name
        # … which is what the graph really computes with.
        assert np.abs(stored[name] - exact[name]).max() > 1e-3, name


def test_the_graph_itself_holds_no_matrix_of_the_encoder(base: Path) -> None:
    graph, stored = large_graph.build(tiny_weights(base))
    kinds = [node.op_type for node in graph.graph.node]
    assert kinds.count("MatMulIntegerToFloat") == 6 * LAYERS
    assert sum(name.endswith(".codes") for name in stored) == 6 * LAYERS
    inside = [len(one.raw_data) for one in graph.graph.initializer if ".layer." in one.name]
    assert max(inside) <= 4 * 2 * WIDTH, "biases and norms only"


def test_a_token_of_great_size_does_not_change_the_rounding_of_others(base: Path) -> None:
    weights = tiny_weights(base)
    graph = large_graph.LargeGraph(weights)
    whole, scales = graph.rows("value")
    helper = large_graph.helper
    model = helper.make_model(
        helper.make_graph(
            graph.nodes, "rows",
            [helper.make_tensor_value_info("value", 1, [1, "tokens", 4])],
            [helper.make_tensor_value_info(whole, 2, None),
             helper.make_tensor_value_info(scales, 1, None)],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", large_graph.OPSET)], ir_version=8,
    )  # fmt: skip
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    value = np.array([[[1, -2, 0.5, 0.25], [900, -1000, 3, 0], [0, 0, 0, 0]]], np.float32)
    codes, sizes = session.run(None, {"value": value})
    assert np.abs((codes.astype(np.float32) - 128) * sizes - value).max(-1)[0, 0] < 0.01
    np.testing.assert_array_equal(session.run(None, {"value": value[:, :1]})[0], codes[:, :1])


def test_an_exported_file_gives_its_weights_back(base: Path, tmp_path: Path) -> None:
    weights = tiny_weights(base, reading=True)
    export(weights, base, tmp_path)
    back = large_graph.read_back(tmp_path / "encoder.onnx")
    assert set(back) == set(weights) - {"encoder.embeddings.position_ids"}
    for name, value in back.items():
        wanted = np.array(weights[name])
        if "position_embeddings" in name:
            wanted[:2] = 0
        rounded = "word_embeddings" in name or (".layer." in name and value.ndim == 2)
        near = 0.05 if rounded else 0.01
        assert np.abs(value - wanted).max() <= near * np.abs(wanted).max(), name
