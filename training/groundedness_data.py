"""Tokenise silver rows for the groundedness model; called by `training.train groundedness`."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

from training import token_files
from training.common import CHECKPOINTS, GROUNDEDNESS_LABELS, TAUGHT, read_rows

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
    reply = ECHOES[number // 6 % len(ECHOES)].format(claim)
    return {**row, "message": reply}


def columns(row: dict[str, Any], _: object) -> token_files.Columns:
    """The label's code, or `TAUGHT` and the teacher's probabilities in thousandths."""
    given = row.get("begin", {})
    chances = {label: round(1000 * given.get(label, 0)) for label in GROUNDEDNESS_LABELS}
    return {"labels": TAUGHT if given else GROUNDEDNESS_LABELS.index(row["label"]), **chances}


def prepare(data: Path, taught: Path | None = None) -> Path:
    """Write the token file for these rows, once; rows that are too long are left out.

    `taught` are replies with a teacher's probabilities (`training.taught_pairs`).
    """
    name = f"{data.name.split('.')[0]}{'-taught' if taught else ''}"
    path = CHECKPOINTS / "data" / f"groundedness-{name}.npz"
    sources = [data, *([taught] if taught else [])]
    if path.exists() and path.stat().st_mtime > max(one.stat().st_mtime for one in sources):
        return path
    rows = chain(
        (echoed(number, row) for number, row in enumerate(read_rows(data))),
        read_rows(taught) if taught else (),
    )
    token_files.write(
        path,
        rows,
        lambda row: (first_segment(row["evidence"], row.get("message", "")), row["response"]),
        columns,
        longest=LONGEST,
    )
    return path
