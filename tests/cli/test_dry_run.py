"""`score --dry-run` through the command itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from staytrue.cli.score import command
from staytrue.core.errors import UsageError

NOBODY = "llm:m@http://127.0.0.1:9/v1,price_in=1,price_out=2"


def score(folder: Path, backend: str) -> str:
    row = {"response": "Coffee is hot.", "knowledge": "Coffee is a drink."}
    (folder / "rows.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    options = ["--metric", "judge", "--metric", "nli", "--dry-run", "--out", str(folder / "run")]
    arguments = [str(folder / "rows.jsonl"), *options, "--backend", backend]
    return CliRunner().invoke(command, arguments, catch_exceptions=False).output


def test_it_prints_what_each_metric_needs_and_writes_nothing(tmp_path: Path) -> None:
    printed = score(tmp_path, NOBODY)
    assert "Estimate for 1 example" in printed
    requests = {line.split()[1]: line.split()[3] for line in printed.splitlines() if "│" in line}
    assert requests == {"judge": "1", "nli": "2", "all": "3"}
    assert not (tmp_path / "run").exists()


def test_a_backend_without_a_server_has_nothing_to_count(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="calls no server"):
        score(tmp_path, "scripted")
