"""Would batches be quicker? `python -m benchmarks.batches`, in CPU time of one thread.

The small models run each pair alone, because one scale for a whole batch would let a pair change
another's rounding. A batch could have a scale for each pair instead, with the same rounding as
alone. So this measures what a token costs in passes of different lengths, which is what a batch
could gain at most, and one layer both ways: alone with the fused operation, and in a batch with
scales of its own for each pair.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from staytrue.backends.embedded import SHIPPED

WIDTH, WIDE = 384, 1536


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
    from onnx import TensorProto, helper, numpy_helper

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
                domain="com.microsoft",
            )
        ]
    else:
        steps = [
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
    shape = ["pairs", "tokens"]
    graph = helper.make_graph(
        nodes,
        "layer",
        [helper.make_tensor_value_info("in", TensorProto.FLOAT, [*shape, WIDTH])],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, [*shape, WIDE])],
        [numpy_helper.from_array(np.array(value), name) for name, value in constants.items()],
    )
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model: bytes = helper.make_model(graph, opset_imports=sets, ir_version=8).SerializeToString()
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--pairs", type=int, default=8, help="of a batch")
    options = parser.parse_args()
    draw = np.random.default_rng(0)
    reading = session(str(SHIPPED / "reading.onnx"))
    print("a pass of the reading model, alone:")
    for tokens in (8, 16, 24, 32, 48, 64, 96, 128, 256):
        feed = {
            "vectors": draw.normal(0, 0.1, (1, tokens, WIDTH)).astype(np.float32),
            "segments": np.zeros((1, tokens), np.int64),
        }
        (seconds,) = best(options.rounds, partial(reading.run, ["logits"], feed))
        print(f"{tokens:5d} tokens: {1e6 * seconds / tokens:6.0f} µs per token")
    alone, together = (session(layer(scale_per_pair=one)) for one in (False, True))
    print(f"one layer, {options.pairs} pairs, alone and in a batch with a scale for each pair:")
    for tokens in (16, 32, 48, 64):
        batch = draw.normal(0, 1, (options.pairs, tokens, WIDTH)).astype(np.float32)
        pairs = [batch[n : n + 1] for n in range(options.pairs)]

        def apart(pairs: list[np.ndarray] = pairs) -> np.ndarray:
            return np.concatenate([alone.run(None, {"in": pair})[0] for pair in pairs])

        one, all_ = best(options.rounds, apart, partial(together.run, None, {"in": batch}))
        difference = float(np.abs(apart() - together.run(None, {"in": batch})[0]).max())
        print(
            f"{tokens:5d} tokens each: {1e3 * one:6.2f} ms alone, {1e3 * all_:6.2f} ms in a batch "
            f"(× {all_ / one:.2f}), largest difference {difference:.1g}"
        )


if __name__ == "__main__":
    main()
