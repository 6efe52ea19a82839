from __future__ import annotations

from pathlib import Path

from tests.cli.test_score import lines, save
from tests.conftest import Command


def test_responses_marked_as_inconsistent_are_left_out_and_counted(
    staytrue: Command, tmp_path: Path
) -> None:
    row = {"knowledge": "Paris is the capital of France.", "message": "Hi."}
    save(
        tmp_path / "in.jsonl",
        [
            {**row, "id": "1", "response": "Paris is the capital of France.", "consistent": True},
            {**row, "id": "2", "response": "Rome is the capital of France.", "consistent": False},
        ],
    )
    result = staytrue("perturb", "in.jsonl", "--method", "human", "--out", "out.jsonl")
    assert result.returncode == 0, result.stderr
    assert [made["source"] for made in lines(tmp_path / "out.jsonl")] == ["1"]
    assert "1 response marked as inconsistent" in result.stderr
