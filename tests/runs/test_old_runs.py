"""Run folders of version 0.1.0 are read by every command that reads runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.conftest import REPOSITORY, Command

from staytrue.core.errors import RunError
from staytrue.core.records import EvidenceKind, FailureKind
from staytrue.runs.folder import Run
from staytrue.runs.merge import merge
from staytrue.runs.runner import evaluate


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Made by 0.1.0 from eight rows, a broken line, and a row that came back changed."""
    stored = REPOSITORY / "tests" / "golden" / "run-0.1.0"
    return Path(shutil.copytree(stored, tmp_path / "old"))


def test_every_row_is_read(old: Path) -> None:
    run = Run(old)
    assert len(list(run.examples())) == 8
    verdicts = list(run.verdicts())
    assert len(verdicts) == 16
    kinds = {evidence.kind for verdict in verdicts for evidence in verdict.evidence}
    assert {EvidenceKind.WORDS, EvidenceKind.QUESTION} <= kinds
    assert [(f.where, f.kind) for f in run.failures()] == [
        ("rows.jsonl:9", FailureKind.ROW),
        ("r0", FailureKind.CHANGED),
    ]


def test_report_agree_and_compare_read_it(old: Path, staytrue: Command) -> None:
    for arguments in (("report", old), ("agree", old), ("compare", old, old)):
        result = staytrue(*arguments)
        assert result.returncode == 0, result.stderr
        assert "overlap" in result.stdout + (old / "report.html").read_text("utf-8")


def test_it_merges_with_itself_into_the_same_rows(old: Path, tmp_path: Path) -> None:
    counts = merge([old, old], tmp_path / "merged")
    assert (counts["examples"], counts["errors"]) == (8, 2)
    assert list(Run(tmp_path / "merged").verdicts()) == list(Run(old).verdicts())


def test_going_on_with_it_is_refused_in_one_sentence(old: Path) -> None:
    with pytest.raises(RunError, match=r"a different signature .*: choose another --out folder\.$"):
        evaluate(Run(old).examples(), ["overlap", "bleu"], out=old)
