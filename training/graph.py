"""Write a trained encoder as an ONNX graph with int8 weights.

The graph reads one example at a time: token vectors and segment numbers, no padding and no
mask. Its matrix products quantise their input on the fly with one scale for the whole
tensor; because an example is alone in it, a result cannot depend on any other example.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from staytrue.backends.embedded.encoder import LIMIT, by_column

LAYERS = 6
WIDTH = 384
HEADS = 12
# Whose output is `state`, for comparing tokens. The last layers know only how to judge: on the
# Q² dev half, token matching has ROC-AUC 0.62 after layer 2 and 0.52 after layer 6.
STATE_LAYER = 2
MICROSOFT = "com.microsoft"


class Graph:
    """Nodes and constants in the making."""

    def __init__(
        self, weights: Mapping[str, np.ndarray], *, int8: bool, limit: int = LIMIT
    ) -> None:
        self.weights = weights
        self.int8 = int8
        self.limit = limit
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._count = 0

    def constant(self, name: str, value: np.ndarray) -> str:
        self.constants.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def node(self, kind: str, inputs: Sequence[str], domain: str = "", **attributes: Any) -> str:
        self._count += 1
        output = f"v{self._count}"
        self.nodes.append(
            helper.make_node(kind, list(inputs), [output], domain=domain, **attributes)
        )
        return output

    def dense(self, value: str, name: str) -> str:
        """value × weights + bias of the linear layer of that name."""
        weights = self.weights[f"{name}.weight"].T
        bias = self.constant(f"{name}.bias", self.weights[f"{name}.bias"])
        if not self.int8:
            product = self.node("MatMul", [value, self.constant(f"{name}.weight", weights)])
            return self.node("Add", [product, bias])
        whole, scales = by_column(weights, self.limit)
        return self.node(
            "DynamicQuantizeMatMul",
            [
                value,
                self.constant(f"{name}.weight", whole),
                self.constant(f"{name}.scale", scales),
                self.constant(f"{name}.zero", np.zeros(len(scales), np.int8)),
                bias,
            ],
            domain=MICROSOFT,
        )

    def norm_of_sum(self, value: str, added: str, name: str) -> str:
        gain = self.constant(f"{name}.weight", self.weights[f"{name}.weight"])
        shift = self.constant(f"{name}.bias", self.weights[f"{name}.bias"])
        # Not SkipLayerNormalization: a pass with it takes an eighth longer.
        total = self.node("Add", [value, added])
        return self.node("LayerNormalization", [total, gain, shift], epsilon=1e-12, axis=-1)

    def encoder(self, *, first_only: bool) -> tuple[str, str]:
        """What the last layer gives, for every token or the first, and what `STATE_LAYER` does."""
        types = self.constant("types", self.weights["bert.embeddings.token_type_embeddings.weight"])
        kinds = self.node("Gather", [types, "segments"], axis=0)
        state = self.norm_of_sum("vectors", kinds, "bert.embeddings.LayerNorm")
        early = state
        for number in range(LAYERS):
            layer = f"bert.encoder.layer.{number}"
            asking = state
            if first_only and number == LAYERS - 1:
                first = self.constant("first", np.array([0], np.int64))
                asking = self.node("Gather", [state, first], axis=1)
            query = self.dense(asking, f"{layer}.attention.self.query")
            key, value = (
                self.dense(state, f"{layer}.attention.self.{part}") for part in ("key", "value")
            )
            mixed = self.node(
                "MultiHeadAttention", [query, key, value], domain=MICROSOFT, num_heads=HEADS
            )
            mixed = self.dense(mixed, f"{layer}.attention.output.dense")
            state = self.norm_of_sum(mixed, asking, f"{layer}.attention.output.LayerNorm")
            wide = self.dense(state, f"{layer}.intermediate.dense")
            wide = self.node("Gelu", [wide], domain=MICROSOFT)
            narrow = self.dense(wide, f"{layer}.output.dense")
            state = self.norm_of_sum(narrow, state, f"{layer}.output.LayerNorm")
            if number + 1 == STATE_LAYER:
                early = state
        return state, early

    def plain_dense(self, value: str, name: str) -> str:
        """A small layer kept in float: heads are tiny, and their precision is what we report."""
        weights = self.constant(f"{name}.weight", self.weights[f"{name}.weight"].T)
        product = self.node("MatMul", [value, weights])
        return self.node(
            "Add", [product, self.constant(f"{name}.bias", self.weights[f"{name}.bias"])]
        )

    def classifier_head(self, state: str) -> str:
        first = self.node("Gather", [state, self.constant("zero", np.array(0, np.int64))], axis=1)
        pooled = self.node("Tanh", [self.plain_dense(first, "bert.pooler.dense")])
        return self.plain_dense(pooled, "classifier")

    def span_head(self, state: str) -> str:
        return self.plain_dense(state, "qa_outputs")


def read_back(file: Path) -> dict[str, np.ndarray]:
    """The weights of an exported file and of the vectors beside it, as they were given to `build`.

    int8 weights come back rounded: good enough to train on where the checkpoint is gone.
    """
    stored = {
        one.name: numpy_helper.to_array(one) for one in onnx.load(str(file)).graph.initializer
    }
    vectors = np.load(file.parent / "vectors.npz")
    words = vectors["words"].astype(np.float32) * vectors["scales"][:, None]
    weights = {
        "bert.embeddings.word_embeddings.weight": words,
        "bert.embeddings.position_embeddings.weight": vectors["positions"].astype(np.float32),
        "bert.embeddings.token_type_embeddings.weight": stored["types"],
    }
    for name, value in stored.items():
        layer, _, kind = name.rpartition(".")
        if kind == "bias" or "LayerNorm" in name:
            weights[name] = value
        elif kind == "weight":
            scales = stored.get(f"{layer}.scale", np.float32(1))
            weights[name] = np.ascontiguousarray((value * scales).T, dtype=np.float32)
    return weights


def build(
    weights: Mapping[str, np.ndarray], head: str, *, int8: bool = True, limit: int = LIMIT
) -> onnx.ModelProto:
    """The whole model; `head` is "classifier" or "span". It outputs `logits` and `state`."""
    graph = Graph(weights, int8=int8, limit=limit)
    last, early = graph.encoder(first_only=head == "classifier")
    logits = graph.classifier_head(last) if head == "classifier" else graph.span_head(last)
    graph.nodes.append(helper.make_node("Identity", [logits], ["logits"]))
    graph.nodes.append(helper.make_node("Identity", [early], ["state"]))
    whole = helper.make_graph(
        graph.nodes,
        "encoder",
        [
            helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["batch", "tokens", WIDTH]),
            helper.make_tensor_value_info("segments", TensorProto.INT64, ["batch", "tokens"]),
        ],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, None),
            helper.make_tensor_value_info("state", TensorProto.FLOAT, ["batch", "tokens", WIDTH]),
        ],
        graph.constants,
    )
    return helper.make_model(
        whole,
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)],
        ir_version=8,
        producer_name="staytrue",
    )
