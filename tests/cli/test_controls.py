from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
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


def test_a_metric_that_fails_is_one_sentence(
    staytrue: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "forgetful-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: forgetful\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[staytrue.metrics]\nforgetful = forgetful:Forgetful\n")
    (tmp_path / "forgetful.py").write_text(
        "class Forgetful:\n    def judge(self, examples):\n        return []\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    monkeypatch.syspath_prepend(str(tmp_path))
    save(tmp_path / "in.jsonl", [{"id": "a", "response": "tea", "knowledge": "tea"}])
    result = staytrue("controls", "in.jsonl", "--metric", "forgetful")
    assert result.returncode == 2
    assert "one verdict per example" in result.stderr
    assert "Traceback" not in result.stderr
