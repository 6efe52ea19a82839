"""Rows of the large model in the small ones' tokens: `python -m training.small_rows --base FOLDER`.

Both tokenizers cut words into the same pieces and differ in numbers and in what stands between two
texts, so that `mixed.npz` is rewritten within seconds. Two files come out: pairs for entailment
and rows for groundedness, as `training.tasks` reads them.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from training.common import CHECKPOINTS, SHIPPED
from training.mixed_data import ENTAILMENT, GROUNDEDNESS

START, END, SEPARATOR = 0, 2, 102
FIRST = 101
FILES = {ENTAILMENT: "entailment.npz", GROUNDEDNESS: "groundedness.npz"}


def numbers(base: Path) -> np.ndarray:
    """The small tokenizer's number of each of the large one's pieces."""
    small = Tokenizer.from_file(str(SHIPPED / "tokenizer.json")).get_vocab()
    large = Tokenizer.from_file(str(base / "tokenizer.json")).get_vocab()
    unknown = small["[UNK]"]
    table = np.full(max(large.values()) + 1, unknown, dtype=np.uint16)
    for piece, number in large.items():
        table[number] = small.get(piece, unknown)
    return table


def rewritten(ids: np.ndarray, table: np.ndarray) -> tuple[np.ndarray, int] | None:
    """One row's tokens, and where its second text begins; None where it has no two texts."""
    ends = np.flatnonzero(ids == END)
    if len(ends) != 3 or ids[0] != START:
        return None
    first, second = ids[1 : ends[0]], ids[ends[1] + 1 : ends[2]]
    tokens = np.concatenate([[FIRST], table[first], [SEPARATOR], table[second], [SEPARATOR]])
    return tokens.astype(np.uint16), len(first) + 2


def rewrite(base: Path, data: Path, folder: Path) -> None:
    # Read once: each access to an open file of arrays reads its array again.
    arrays = dict(np.load(data))
    table = numbers(base)
    starts = np.concatenate([[0], np.cumsum(arrays["lengths"])])
    for task, name in FILES.items():
        wanted = np.flatnonzero(arrays["tasks"] == task)
        rows = [rewritten(arrays["ids"][starts[n] : starts[n + 1]], table) for n in wanted]
        kept = np.array([row is not None for row in rows])
        texts = [row for row in rows if row is not None]
        columns: dict[str, Any] = {
            column: arrays[column][wanted][kept] for column in ("labels", "sources", "bundles")
        }
        np.savez(
            folder / name,
            ids=np.concatenate([tokens for tokens, _ in texts]),
            lengths=np.array([len(tokens) for tokens, _ in texts], dtype=np.int32),
            premise_lengths=np.array([length for _, length in texts], dtype=np.int32),
            source_names=arrays["source_names"],
            **columns,
        )
        print(f"{name}: {len(texts)} rows")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="folder of all-mpnet-base-v2")
    parser.add_argument("--data", type=Path, default=CHECKPOINTS / "data" / "mixed.npz")
    options = parser.parse_args()
    rewrite(options.base, options.data, CHECKPOINTS / "data")


if __name__ == "__main__":
    main()
