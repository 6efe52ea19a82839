"""Tokenise silver rows for the groundedness model; called by `training.train groundedness`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from training.common import CHECKPOINTS, GROUNDEDNESS_LABELS, WARM_START, read_rows

LONGEST = 160


def first_segment(evidence: str, message: str) -> str:
    """Evidence and previous turn as one text; the product builds the same (`backends.embedded`)."""
    return f"{evidence} | {message}" if message else evidence


def prepare(data: Path) -> Path:
    """Write the token file for these rows, once; rows that are too long are left out."""
    path = CHECKPOINTS / "data" / f"groundedness-{data.name.split('.')[0]}.npz"
    if path.exists() and path.stat().st_mtime > data.stat().st_mtime:
        return path
    tokenizer = Tokenizer.from_file(str(WARM_START / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    rows = list(read_rows(data))
    texts = [
        (first_segment(row["evidence"], row.get("message", "")), row["response"]) for row in rows
    ]
    ids, lengths, first_lengths, labels = [], [], [], []
    for row, encoding in zip(rows, tokenizer.encode_batch(texts), strict=True):
        if len(encoding.ids) <= LONGEST and 1 in encoding.type_ids:
            ids.append(np.array(encoding.ids, dtype=np.uint16))
            lengths.append(len(encoding.ids))
            first_lengths.append(encoding.type_ids.index(1))
            labels.append(GROUNDEDNESS_LABELS.index(row["label"]))
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        path,
        ids=np.concatenate(ids),
        lengths=np.array(lengths, dtype=np.int32),
        premise_lengths=np.array(first_lengths, dtype=np.int32),
        labels=np.array(labels, dtype=np.int8),
    )
    print(
        f"{len(lengths)} of {len(rows)} rows, {np.mean(lengths):.1f} tokens on average", flush=True
    )
    return path
