"""Models of others stand in one table; one that cannot be loaded says why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from reproduce import peers
from reproduce.peers import page
from tests.backends.huggingface.test_peers import saved
from tests.backends.huggingface.tiny import needs_torch

from staytrue.backends.scripted import ScriptedBackend
from staytrue.core.errors import ModelError
from staytrue.core.protocols import Entailment, Pair
from staytrue.core.records import Example

ROWS = [
    Example("1", "Tea is old.", "Tea is old.", consistent=True),
    Example("2", "Tea is new.", "Tea is old.", consistent=False),
    Example("3", "Tea is hot.", "Tea is old.", consistent=False),
    Example("4", "Rome is old.", "Rome is old.", consistent=True),
]


def same(pair: Pair) -> Entailment:
    return Entailment(1.0, 0.0, 0.0) if pair.premise == pair.hypothesis else Entailment(0, 1, 0)


def unreachable(pair: Pair) -> Entailment:
    raise ModelError("The hub cannot be reached.")


def test_rows_hold_figures_or_the_reason_why_there_are_none() -> None:
    backends = {
        "good": ("nli", ScriptedBackend(entailments=same)),
        "absent": ("nli", ScriptedBackend(entailments=unreachable)),
    }
    written = page(backends, {"rows": ROWS})
    good, absent = (
        next(line for line in written.splitlines() if line.startswith(f"| {name} "))
        for name in backends
    )
    assert good.startswith("| good | 1.000 [")
    assert absent == "| absent |  |  |"
    assert "- absent: The hub cannot be reached." in written
    assert "`nli|" in written


@needs_torch
@pytest.mark.torch
def test_one_command_fills_the_table_from_folders_of_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        "".join(
            json.dumps({"response": row.response, "knowledge": row.knowledge,
                        "consistent": row.consistent}) + "\n"
            for row in ROWS
        )
    )  # fmt: skip
    monkeypatch.setattr(peers, "SETS", {"rows": str(rows)})
    options = ["--page", str(tmp_path / "page.md")]
    for preset in peers.PEERS:
        (tmp_path / preset).mkdir()
        options += ["--model", f"{preset}={saved(preset, tmp_path / preset)}"]
    peers.main(options)
    written = (tmp_path / "page.md").read_text("utf-8")
    table = {line.split(" | ")[0]: line for line in written.splitlines() if line.startswith("| ")}
    for name in ("`nli` (ours)", *peers.PEERS):
        assert " [" in table[f"| {name}"]  # a figure with its interval
    assert "Not measured here" not in written
    assert written.count("backend:huggingface|infer:") == 3
