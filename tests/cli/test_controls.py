from __future__ import annotations

from pathlib import Path

from tests.cli.test_score import save
from tests.conftest import Command


def test_rows_without_a_dialogue_are_told_which_tag_is_missing(
    staytrue: Command, tmp_path: Path
) -> None:
    rows = [
        {"id": str(n), "response": f"tea {n}", "knowledge": f"tea is green {n}"} for n in range(4)
    ]
    save(tmp_path / "in.jsonl", rows)
    result = staytrue("controls", "in.jsonl", "--metric", "overlap")
    assert result.returncode == 0, result.stderr
    assert "tag `dialogue`" in result.stderr
    tagged = [{**row, "tags": {"dialogue": str(n % 2)}} for n, row in enumerate(rows)]
    save(tmp_path / "tagged.jsonl", tagged)
    result = staytrue("controls", "tagged.jsonl", "--metric", "overlap")
    assert "tag `dialogue`" not in result.stderr
