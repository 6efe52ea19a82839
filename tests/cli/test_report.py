"""`staytrue report` writes the page and the table, and says where."""

from __future__ import annotations

import json
from pathlib import Path

from staytrue.core.records import Example
from staytrue.runs.runner import evaluate


def test_the_page_and_the_table_are_written(staytrue, tmp_path: Path) -> None:
    evaluate([Example("a", "x", "x")], ["overlap"], out=tmp_path / "run")
    done = staytrue("report", "run", "--csv", "table.csv")
    assert done.returncode == 0
    assert done.stdout.split() == ["run/report.html", "table.csv"]
    assert (tmp_path / "run" / "report.html").is_file()
    assert (tmp_path / "table.csv").read_text().startswith("id,response")


def test_an_interrupted_run_is_named_as_such_by_whoever_reads_it(staytrue, tmp_path: Path) -> None:
    rows = [Example(str(n), "x", "x", consistent=n % 2 == 0) for n in range(12)]
    evaluate(rows, ["overlap"], out=tmp_path / "whole")
    evaluate(rows, ["overlap"], out=tmp_path / "run")
    manifest = tmp_path / "run" / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"finished": None}))
    for asked in (("report", "run"), ("agree", "run"), ("threshold", "run"),
                  ("compare", "whole", "run")):  # fmt: skip
        assert staytrue(*asked).stderr.startswith("run is incomplete: "), asked
    assert staytrue("report", "whole").stderr == ""


def test_a_folder_that_is_no_run_is_one_sentence(staytrue) -> None:
    done = staytrue("report", "nowhere")
    assert done.returncode == 2
    assert "not a run folder" in done.stderr
