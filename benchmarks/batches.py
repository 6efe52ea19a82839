"""Would batches be quicker? `python -m benchmarks.batches`, in CPU time of one thread.

The small models run each pair alone, because one scale for a whole batch would let a pair change
another's rounding. A batch could have a scale for each pair instead, with the same rounding as
alone. So this measures what a token costs in passes of different lengths, which is what a batch
could gain at most, and one layer both ways: alone with the fused operation, and in a batch with
scales of its own for each pair. The large model has a scale for each token anyway: its layer is the
same both ways.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from staytrue.backends.embedded import SHIPPED

WIDTH, WIDE = 384, 1536
LARGE_WIDTH, LARGE_WIDE = 768, 3072
_MICROSOFT = "com.microsoft"
LENGTHS = (8, 16, 24, 32, 48, 64, 96, 128, 256)


def session(model: bytes | str) -> Any:
    """One thread, as the backend runs it."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def best(rounds: int, *ways: Callable[[], object]) -> list[float]:
    """The least CPU seconds of each, run in turns: a busy machine only adds to them."""
    least = [math.inf] * len(ways)
    for _ in range(rounds):
        for number, run in enumerate(ways):
            start = time.process_time()
            run()
            least[number] = min(least[number], time.process_time() - start)
    return least


def layer(*, scale_per_pair: bool) -> bytes:
    """One dense layer in int8, with one scale for its whole input or one for each pair."""
    from onnx import TensorProto, helper

    draw = np.random.default_rng(0)
    whole = draw.integers(-63, 64, (WIDTH, WIDE)).astype(np.int8)
    constants = {
        "weight": whole,
        "scale": np.full(WIDE, 0.01, np.float32),
        "zero": np.zeros(WIDE, np.int8),
        "bias": np.zeros(WIDE, np.float32),
        "levels": np.float32(255),
        # What the zero points of the input add to each column, per unit.
        "column_sums": whole.sum(axis=0, dtype=np.int64).astype(np.float32),
        "least": np.float32(0),
    }
    if not scale_per_pair:
        nodes = [
            helper.make_node(
                "DynamicQuantizeMatMul",
                ["in", "weight", "scale", "zero", "bias"],
                ["out"],
                domain=_MICROSOFT,
            )
        ]
    else:
        steps: list[tuple[str, list[str], str, dict[str, Any]]] = [
            ("ReduceMax", ["in"], "high0", {"axes": [1, 2], "keepdims": 1}),
            ("ReduceMin", ["in"], "low0", {"axes": [1, 2], "keepdims": 1}),
            ("Max", ["high0", "least"], "high", {}),
            ("Min", ["low0", "least"], "low", {}),
            ("Sub", ["high", "low"], "range", {}),
            ("Div", ["range", "levels"], "step", {}),
            ("Div", ["low", "step"], "start0", {}),
            ("Round", ["start0"], "start", {}),
            ("Div", ["in", "step"], "steps0", {}),
            ("Round", ["steps0"], "steps1", {}),
            ("Sub", ["steps1", "start"], "steps2", {}),
            ("Clip", ["steps2", "least", "levels"], "steps", {}),
            ("Cast", ["steps"], "bytes", {"to": TensorProto.UINT8}),
            ("MatMulInteger", ["bytes", "weight"], "sums", {}),
            ("Cast", ["sums"], "floats", {"to": TensorProto.FLOAT}),
            ("Mul", ["start", "column_sums"], "shift", {}),
            ("Add", ["floats", "shift"], "centred", {}),
            ("Mul", ["step", "scale"], "scales", {}),
            ("Mul", ["centred", "scales"], "product", {}),
            ("Add", ["product", "bias"], "out", {}),
        ]
        nodes = [helper.make_node(kind, ins, [out], **more) for kind, ins, out, more in steps]
    return _model(nodes, constants, WIDTH)


def large_layer() -> bytes:
    """One dense layer of the large model, as `training.large_graph` writes it."""
    from onnx import helper

    draw = np.random.default_rng(0)
    constants = {
        "weight": draw.integers(-63, 64, (LARGE_WIDTH, LARGE_WIDE)).astype(np.int8),
        "scale": np.full(LARGE_WIDE, 0.01, np.float32),
        "bias": np.zeros(LARGE_WIDE, np.float32),
        "rows": np.array([-1, LARGE_WIDTH]),
        "flat": np.array([-1]),
        "levels": np.float32(1 / 127),
        "least": np.float32(1e-9),
        "one": np.float32(1),
        "middle": np.uint8(128),
        "middles": np.array([128], np.uint8),
    }
    steps: list[tuple[str, list[str], str, dict[str, Any]]] = [
        ("Reshape", ["in", "rows"], "tokens", {}),
        ("Abs", ["tokens"], "sizes", {}),
        ("ReduceMax", ["sizes"], "largest0", {"axes": [1], "keepdims": 1}),
        ("Max", ["largest0", "least"], "largest", {}),
        ("Mul", ["largest", "levels"], "scales", {}),
        ("Reshape", ["scales", "flat"], "flat_scales", {}),
        ("Shape", ["flat_scales"], "count", {}),
        ("Expand", ["middles", "count"], "zeros", {}),
        ("QuantizeLinear", ["tokens", "flat_scales", "zeros"], "bytes", {"axis": 0}),
        ("MatMulIntegerToFloat", ["bytes", "weight", "one", "scale", "middle"], "product",
         {"domain": _MICROSOFT}),
        ("Mul", ["product", "scales"], "scaled", {}),
        ("Add", ["scaled", "bias"], "out", {}),
    ]  # fmt: skip
    nodes = [helper.make_node(kind, ins, [out], **more) for kind, ins, out, more in steps]
    return _model(nodes, constants, LARGE_WIDTH)


def _model(nodes: Sequence[Any], constants: Mapping[str, Any], width: int) -> bytes:
    from onnx import TensorProto, helper, numpy_helper

    graph = helper.make_graph(
        nodes,
        "layer",
        [helper.make_tensor_value_info("in", TensorProto.FLOAT, ["pairs", "tokens", width])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.array(value), name) for name, value in constants.items()],
    )
    sets = [helper.make_opsetid("", 17), helper.make_opsetid(_MICROSOFT, 1)]
    model: bytes = helper.make_model(graph, opset_imports=sets, ir_version=8).SerializeToString()
    return model


@dataclass(frozen=True)
class Ways:
    """CPU seconds of one layer on several pairs, both ways."""

    tokens: int
    alone: float
    batch: float
    difference: float
    """The largest between the two results."""


def alone_by_length(rounds: int, lengths: Sequence[int] = LENGTHS) -> dict[int, float]:
    """CPU seconds per token of a pass of the small reading model, by the tokens of the pass."""
    draw = np.random.default_rng(0)
    reading = session(str(SHIPPED / "reading.onnx"))
    costs = {}
    for tokens in lengths:
        feed = {
            "vectors": draw.normal(0, 0.1, (1, tokens, WIDTH)).astype(np.float32),
            "segments": np.zeros((1, tokens), np.int64),
        }
        (seconds,) = best(rounds, partial(reading.run, ["logits"], feed))
        costs[tokens] = seconds / tokens
    return costs


def both_ways(
    rounds: int, pairs: int, lengths: Sequence[int] = (16, 32, 48, 64), *, large: bool = False
) -> list[Ways]:
    """One layer on so many pairs of one length: one after the other, and as a batch."""
    draw = np.random.default_rng(0)
    width = LARGE_WIDTH if large else WIDTH
    single = session(large_layer() if large else layer(scale_per_pair=False))
    joint = single if large else session(layer(scale_per_pair=True))

    def one_by_one(batch: np.ndarray) -> np.ndarray:
        parts = [single.run(None, {"in": batch[n : n + 1]})[0] for n in range(len(batch))]
        return np.concatenate(parts)

    ways = []
    for tokens in lengths:
        batch = draw.normal(0, 1, (pairs, tokens, width)).astype(np.float32)
        at_once = partial(joint.run, None, {"in": batch})
        alone, together = best(rounds, partial(one_by_one, batch), at_once)
        difference = float(np.abs(one_by_one(batch) - at_once()[0]).max())
        ways.append(Ways(tokens, alone, together, difference))
    return ways


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--pairs", type=int, default=8, help="of a batch")
    options = parser.parse_args()
    print("a pass of the reading model, alone:")
    for tokens, seconds in alone_by_length(options.rounds).items():
        print(f"{tokens:5d} tokens: {1e6 * seconds:6.0f} µs per token")
    for large in (False, True):
        scales = "large model, a scale for each token" if large else "a scale for each pair"
        print(f"one layer, {options.pairs} pairs, alone and in a batch ({scales}):")
        for ways in both_ways(options.rounds, options.pairs, large=large):
            print(
                f"{ways.tokens:5d} tokens each: {1e3 * ways.alone:6.2f} ms alone, "
                f"{1e3 * ways.batch:6.2f} ms in a batch (× {ways.batch / ways.alone:.2f}), "
                f"largest difference {ways.difference:.1g}"
            )


if __name__ == "__main__":
    main()
