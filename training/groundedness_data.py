"""Tokenise silver rows for the groundedness model; called by `training.train groundedness`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from training import token_files
from training.common import CHECKPOINTS, GROUNDEDNESS_LABELS, read_rows

LONGEST = 160
ECHOES = ("i heard that {}", "is it true that {}?", "{}, right?", "{}.", "did you know that {}?")


def first_segment(evidence: str, message: str) -> str:
    """Evidence and previous turn as one text; the product builds the same (`backends.embedded`)."""
    return f"{evidence} | {message}" if message else evidence


def echoed(number: int, row: dict[str, Any]) -> dict[str, Any]:
    """Every sixth claim with a message that says the same: what the user says is no evidence."""
    if number % 6 or row["label"] not in ("entailment", "hallucination", "contradiction"):
        return row
    claim = row["response"].rstrip(" .!?")
    said = ECHOES[number // 6 % len(ECHOES)].format(claim)
    return {**row, "message": said}


def prepare(data: Path) -> Path:
    """Write the token file for these rows, once; rows that are too long are left out."""
    path = CHECKPOINTS / "data" / f"groundedness-{data.name.split('.')[0]}.npz"
    if path.exists() and path.stat().st_mtime > data.stat().st_mtime:
        return path
    token_files.write(
        path,
        (echoed(number, row) for number, row in enumerate(read_rows(data))),
        lambda row: (first_segment(row["evidence"], row.get("message", "")), row["response"]),
        lambda row, _: {"labels": GROUNDEDNESS_LABELS.index(row["label"])},
        longest=LONGEST,
    )
    return path
