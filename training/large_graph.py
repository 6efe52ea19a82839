"""Write the large model as one ONNX graph: an MPNet encoder with a head for each task.

Matrices are stored beside the graph, compressed, in the int8 that it multiplies with
(`training.steps`). Of the ways tried int8 is the quickest on a processor without VNNI: 53 ms of one
core for a pair of 45 tokens, against 99 in fp32 and 94 with `MatMulNBits`. Every token has a scale
of its own, so that a result depends on no other token's size; one scale for all of them, as the
small models have, costs four times as much precision here.

The last layer is computed only for the tokens in `places`: the first one for judging a pair, all
of them for reading.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from staytrue.backends.embedded.encoder import by_column
from training.adapter import taken_back
from training.graph import MICROSOFT, Graph
from training.steps import pack, unpack

OPSET = 18
EPSILON = 1e-5
WEIGHTS = "weights.npz"
BUCKETS = 32
FARTHEST = 128
ENCODER = "encoder.encoder"
RELATIVE = f"{ENCODER}.relative_attention_bias.weight"
# Output of the graph → name of its weights in a checkpoint of `training.mixed`.
PAIR_HEADS = {"entailment": "head", "groundedness": "grounded"}
READING = "reading"


def relative_bias(weights: np.ndarray, longest: int) -> np.ndarray:
    """What each attention head adds for a key `distance` tokens after the query.

    The result is [heads, 2 · longest - 1]; column `longest - 1` is distance 0. Near distances have
    a bucket each, far ones share buckets that widen with the logarithm, as in MPNet and T5.
    """
    distances = np.arange(1 - longest, longest)
    each_way = BUCKETS // 2
    exact = each_way // 2
    far = np.abs(distances)
    logarithm = np.log(np.maximum(far, 1) / exact) / math.log(FARTHEST / exact)
    wide = np.minimum(exact + (logarithm * (each_way - exact)).astype(np.int64), each_way - 1)
    buckets = np.where(far < exact, far, wide) + np.where(distances > 0, each_way, 0)
    return np.ascontiguousarray(weights[buckets].T)


class LargeGraph(Graph):
    """Nodes and constants in the making."""

    def __init__(self, weights: Mapping[str, np.ndarray], *, int8: bool = True) -> None:
        super().__init__(weights, int8=int8)
        self.stored: dict[str, np.ndarray] = {}
        self.heads = weights[RELATIVE].shape[1]
        self.layers = sum(
            name.startswith(f"{ENCODER}.layer.") and name.endswith(".attn.q.weight")
            for name in weights
        )
        self._shared: dict[str, str] = {}
        self._rows: dict[str, tuple[str, str]] = {}

    def shared(self, name: str, value: np.ndarray) -> str:
        """A constant that several nodes use."""
        if name not in self._shared:
            self._shared[name] = self.constant(name, value)
        return name

    def integer(self, number: int, *, axes: bool = False) -> str:
        value = np.array([number] if axes else number, np.int64)
        return self.shared(f"integer.{number}{'s' if axes else ''}", value)

    def floating(self, value: float) -> str:
        return self.shared(f"float.{value}", np.float32(value))

    def given(self, name: str, kind: int, shape: Sequence[int]) -> str:
        """A constant whose values the product gives when it loads the graph."""
        tensor = TensorProto(name=name, data_type=kind, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=WEIGHTS)
        self.constants.append(tensor)
        return name

    def rows(self, value: str) -> tuple[str, str]:
        """The value as uint8 around 128, and the scale of each token."""
        if value not in self._rows:
            last = self.integer(-1, axes=True)
            largest = self.node("ReduceMax", [self.node("Abs", [value]), last], keepdims=1)
            largest = self.node("Max", [largest, self.floating(1e-9)])
            scales = self.node("Mul", [largest, self.floating(1 / 127)])
            flat = self.node("Reshape", [scales, last])
            middle = self.shared("middles", np.array([128], np.uint8))
            middles = self.node("Expand", [middle, self.node("Shape", [flat])])
            whole = self.node("QuantizeLinear", [value, flat, middles], axis=1)
            self._rows[value] = whole, scales
        return self._rows[value]

    def dense(self, value: str, name: str) -> str:
        """value × weights + bias of the linear layer of that name."""
        if not self.int8:
            return self.plain_dense(value, name)
        codes, scales = pack(self.weights[f"{name}.weight"])
        self.stored |= {f"{name}.codes": codes, f"{name}.scales": scales}
        outputs, inputs = self.weights[f"{name}.weight"].shape
        weights = self.given(f"{name}.weight", TensorProto.INT8, [inputs, outputs])
        columns = self.given(f"{name}.column_scales", TensorProto.FLOAT, [outputs])
        whole, row_scales = self.rows(value)
        product = self.node(
            "MatMulIntegerToFloat",
            [whole, weights, self.floating(1.0), columns,
             self.shared("middle", np.array(128, np.uint8))],
            domain=MICROSOFT,
        )  # fmt: skip
        bias = self.constant(f"{name}.bias", self.weights[f"{name}.bias"])
        return self.node("Add", [self.node("Mul", [product, row_scales]), bias])

    def head_dense(self, value: str, name: str) -> str:
        """A layer of a head: 8 bits in the file where it is large, float in the product."""
        weights = self.weights[f"{name}.weight"]
        if not self.int8 or weights.size < 10_000:
            return self.plain_dense(value, name)
        whole, scales = by_column(weights.T, 127)
        self.stored |= {f"{name}.whole": whole, f"{name}.scales": scales}
        expanded = self.given(f"{name}.weight", TensorProto.FLOAT, whole.shape)
        bias = self.constant(f"{name}.bias", self.weights[f"{name}.bias"])
        return self.node("Add", [self.node("MatMul", [value, expanded]), bias])

    def norm(self, value: str, name: str) -> str:
        gain = self.constant(f"{name}.weight", self.weights[f"{name}.weight"])
        shift = self.constant(f"{name}.bias", self.weights[f"{name}.bias"])
        return self.node("LayerNormalization", [value, gain, shift], epsilon=EPSILON, axis=-1)

    def bias_of(self, queries: str, keys: str) -> str:
        """What attention adds for each head, query and key."""
        longest = len(self.weights["encoder.embeddings.position_embeddings.weight"])
        table = self.shared("relative", relative_bias(self.weights[RELATIVE], longest))
        column = self.node("Unsqueeze", [queries, self.integer(1, axes=True)])
        distance = self.node("Sub", [keys, column])
        index = self.node("Add", [distance, self.integer(longest - 1)])
        bias = self.node("Gather", [table, index], axis=1)
        return self.node("Unsqueeze", [bias, self.integer(0, axes=True)])

    def encoder(self) -> str:  # type: ignore[override]
        """What the last layer gives for the tokens in `places`."""
        state = self.norm("vectors", "encoder.embeddings.LayerNorm")
        shape = self.node("Shape", ["vectors"])
        length = self.node("Gather", [shape, self.integer(1)])
        every = self.node("Range", [self.integer(0), length, self.integer(1)])
        bias = self.bias_of(every, every)
        for number in range(self.layers):
            layer = f"{ENCODER}.layer.{number}"
            asking = state
            if number == self.layers - 1:
                asking = self.node("Gather", [state, "places"], axis=1)
                bias = self.bias_of("places", every)
            query = self.dense(asking, f"{layer}.attention.attn.q")
            key, value = (self.dense(state, f"{layer}.attention.attn.{part}") for part in "kv")
            mixed = self.node(
                "MultiHeadAttention",
                [query, key, value, "", "", bias],
                domain=MICROSOFT,
                num_heads=self.heads,
            )
            mixed = self.dense(mixed, f"{layer}.attention.attn.o")
            # Not SkipLayerNormalization: it takes three times as long as these two.
            state = self.norm(self.node("Add", [mixed, asking]), f"{layer}.attention.LayerNorm")
            wide = self.dense(state, f"{layer}.intermediate.dense")
            wide = self.node("Gelu", [wide], domain=MICROSOFT)
            narrow = self.dense(wide, f"{layer}.output.dense")
            state = self.norm(self.node("Add", [narrow, state]), f"{layer}.output.LayerNorm")
        return state

    def pair_head(self, state: str, name: str) -> str:
        first = self.node("Gather", [state, self.integer(0)], axis=1)
        return self.head_dense(
            self.node("Tanh", [self.head_dense(first, f"{name}.0")]), f"{name}.3"
        )


def outputs(weights: Mapping[str, np.ndarray]) -> list[str]:
    """The heads that these weights have, by the names of their outputs."""
    pairs = [output for output, name in PAIR_HEADS.items() if f"{name}.0.weight" in weights]
    return [*pairs, *([READING] if f"{READING}.weight" in weights else [])]


class BuiltGraph(NamedTuple):
    """A graph, and the arrays of its weights file."""

    graph: onnx.ModelProto
    stored: dict[str, np.ndarray]


def build(weights: Mapping[str, np.ndarray], *, int8: bool = True) -> BuiltGraph:
    """The whole model; one output for each head: `entailment`, `groundedness`, `reading`.

    It reads `vectors` [1, tokens, width], word and position vectors added up, and `places`, the
    numbers of the tokens whose last state is wanted; the first of them is the first token.
    """
    graph = LargeGraph(weights, int8=int8)
    state = graph.encoder()
    for output in outputs(weights):
        logits = (
            graph.head_dense(state, READING)
            if output == READING
            else graph.pair_head(state, PAIR_HEADS[output])
        )
        graph.nodes.append(helper.make_node("Identity", [logits], [output]))
    width = weights["encoder.embeddings.LayerNorm.weight"].shape[0]
    whole = helper.make_graph(
        graph.nodes,
        "encoder",
        [
            helper.make_tensor_value_info("vectors", TensorProto.FLOAT, [1, "tokens", width]),
            helper.make_tensor_value_info("places", TensorProto.INT64, ["wanted"]),
        ],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs(weights)],
        graph.constants,
    )
    model = helper.make_model(
        whole,
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)],
        ir_version=8,
        producer_name="staytrue",
    )
    return BuiltGraph(model, graph.stored)


def read_back(file: Path) -> dict[str, np.ndarray]:
    """The weights of an exported file and of the vectors beside it, as they were given to `build`.

    Weights come back rounded: good enough to train on where the checkpoint is gone; so does a
    reader's adapter. The two rows of position vectors that MPNet never uses come back as zeros.
    """
    constants = {
        one.name: numpy_helper.to_array(one)
        for one in onnx.load(str(file), load_external_data=False).graph.initializer
        if one.data_location != TensorProto.EXTERNAL
    }
    with np.load(file.parent / "vectors.npz") as vectors:
        words = vectors["words"].astype(np.float32) * vectors["scales"][:, None]
        positions = vectors["positions"].astype(np.float32)
        weights = {
            "encoder.embeddings.word_embeddings.weight": words,
            "encoder.embeddings.position_embeddings.weight": np.pad(positions, ((2, 0), (0, 0))),
            RELATIVE: vectors["relative"],
        }
    for name, value in constants.items():
        if name.endswith(".bias") or "LayerNorm" in name:
            weights[name] = value
        elif name.endswith(".weight"):
            weights[name] = np.ascontiguousarray(value.T)
    with np.load(file.parent / WEIGHTS) as stored:
        for name in stored:
            layer, _, kind = name.rpartition(".")
            if kind == "codes":
                weights[f"{layer}.weight"] = unpack(stored[name], stored[f"{layer}.scales"])
            elif kind == "whole":
                weights[f"{layer}.weight"] = (stored[name] * stored[f"{layer}.scales"]).T
    adapter = file.with_suffix(".npz")
    if adapter.exists():
        with np.load(adapter) as stored:
            weights |= taken_back(stored)
    return weights
