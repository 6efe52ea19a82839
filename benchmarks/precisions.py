"""What do 8 bits save here? `python -m benchmarks.precisions`, in CPU time of one thread.

The entailment models as they ship, with weights of 7 bits, against 8 bits and single precision.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.batches import best, session
from staytrue.backends.embedded import SHIPPED, ModelFiles, large_folder
from staytrue.backends.embedded.encoder import Encoder, WordPieces

LENGTHS = (45, 140)


def times(rounds: int) -> dict[str, list[float]]:
    """CPU seconds of one pass by the kind of weights, for each of `LENGTHS`."""
    ways = small()
    if folder := large_folder():
        ways |= large(folder)
    by_length = [
        best(rounds, *(partial(one, length) for one in ways.values())) for length in LENGTHS
    ]
    return {name: list(row) for name, row in zip(ways, zip(*by_length, strict=True), strict=True)}


def small() -> dict[str, Callable[[int], object]]:
    """The small model with weights of 7 bits, of 8 bits, and in single precision."""
    from training import graph

    weights = graph.read_back(SHIPPED / "entailment.onnx")

    def built(**how: Any) -> Callable[[int], object]:
        model = session(graph.build(weights, "classifier", **how).SerializeToString())
        return lambda length: model.run(["logits"], {
            "vectors": _vectors(length, 384), "segments": np.zeros((1, length), np.int64),
        })  # fmt: skip

    return {
        "small, 7 bits (as shipped)": built(int8=True),
        "small, 8 bits": built(int8=True, limit=127),
        "small, single precision": built(int8=False),
    }


def large(folder: Path) -> dict[str, Callable[[int], object]]:
    """The large model as shipped and in single precision."""
    from training import large_graph

    encoder, fresh = Encoder(ModelFiles(folder), 1), count(1000)

    def shipped(length: int) -> object:
        half = (length - encoder.special_tokens()) // 2
        words = WordPieces((next(fresh),) * half, ((0, 1),) * half)  # nothing is asked twice
        return encoder.run("entailment", words, words)

    graph, _ = large_graph.build(large_graph.read_back(folder / "encoder.onnx"), int8=False)
    whole = session(graph.SerializeToString())

    def single(length: int) -> object:
        return whole.run(["entailment"], {
            "vectors": _vectors(length, 768), "places": np.zeros(1, np.int64),
        })  # fmt: skip

    return {"large, 7 bits (as shipped)": shipped, "large, single precision": single}


def _vectors(length: int, width: int) -> np.ndarray:
    drawn = np.random.default_rng(length).normal(size=(1, length, width))
    return (0.1 * drawn).astype(np.float32)


def main() -> None:
    for name, row in times(20).items():
        timed = zip(LENGTHS, row, strict=True)
        told = ", ".join(f"{1e3 * one:.1f} ms for {length} tokens" for length, one in timed)
        print(f"{name}: {told}")


if __name__ == "__main__":
    main()
