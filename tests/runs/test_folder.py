"""A damaged run folder is told in one sentence by whoever reads it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from staytrue.cli import app
from staytrue.core.errors import RunError
from staytrue.core.records import Example, Verdict
from staytrue.runs.folder import Run
from staytrue.runs.jsonl import replace_file
from staytrue.runs.writer import RunWriter


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with RunWriter(tmp_path / "run", {"m": "m|x:1"}) as writer:
        for n in range(12):
            example = Example(str(n), "r", consistent=n % 2 == 0)
            writer.add([example], [Verdict(example.id, "m", n / 12)])
    return tmp_path / "run"


def verdict(**changes: object) -> str:
    row = {"example_id": "0", "metric": "m", "score": 0.5, "label": None, "reason": "",
           "evidence": []}  # fmt: skip
    return json.dumps(row | changes)


LINES = {
    "a NaN": verdict(score=float("nan")),
    "an infinity": verdict(score=float("inf")),
    "a score off the scale": verdict(score=1.5),
    "a score in words": verdict(score="high"),
    "a list": "[1, 2]",
    "a number": "7",
    "an unknown field": verdict(more=1),
    "evidence of another shape": verdict(evidence=[1]),
    "a metric that is no text": verdict(metric=["m"]),
    "missing fields": "{}",
    "no score": json.dumps({"example_id": "0", "metric": "m", "reason": "r"}),
    "no metric": json.dumps({"example_id": "0", "score": 0.5}),
}
MANIFESTS = ["", "{", "[]", "7", "{}", '{"signature": 3}', '{"signature": {"m": 1}}', "\xff"]


@pytest.mark.parametrize("command", ["report", "agree", "compare"])
@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_verdict_of_another_shape_is_one_sentence(folder: Path, line: str, command: str) -> None:
    with (folder / "verdicts.jsonl").open("a") as file:
        file.write(line + "\n")
    folders = [str(folder)] * (2 if command == "compare" else 1)
    with pytest.raises(RunError, match=r"verdicts\.jsonl:13 is damaged"):
        CliRunner().invoke(app, [command, *folders], catch_exceptions=False)


@pytest.mark.parametrize("command", ["report", "agree", "compare"])
@pytest.mark.parametrize("text", MANIFESTS)
def test_a_damaged_manifest_is_one_sentence(folder: Path, text: str, command: str) -> None:
    (folder / "manifest.json").write_bytes(text.encode("latin-1"))
    folders = [str(folder)] * (2 if command == "compare" else 1)
    with pytest.raises(RunError, match=r"manifest\.json is damaged"):
        CliRunner().invoke(app, [command, *folders], catch_exceptions=False)


def test_an_example_of_another_shape_is_one_sentence(folder: Path) -> None:
    with (folder / "examples.jsonl").open("a") as file:
        file.write('{"id": "x", "surprise": 1}\n')
    with pytest.raises(RunError, match=r"examples\.jsonl:13 is damaged"):
        list(Run(folder).examples())


def test_verdicts_by_a_metric_that_the_manifest_lacks_are_left_out(folder: Path) -> None:
    with (folder / "verdicts.jsonl").open("a") as file:
        file.write(verdict(metric="other") + "\n")
    result = CliRunner().invoke(app, ["agree", str(folder), "--draws", "20"])
    assert result.exit_code == 0, result.output


def test_writing_never_follows_a_link_out_of_the_folder(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("precious")
    (folder / "manifest.json.writing").symlink_to(outside)
    replace_file(folder / "manifest.json", b"new")
    assert outside.read_text() == "precious"
    assert (folder / "manifest.json").read_bytes() == b"new"
    assert not (folder / "manifest.json").is_symlink()
