"""Citations are told apart from the score: the claim may be true, and its source another one."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from staytrue.core.records import CITATION_PARTS, Evidence, Example, Verdict
from staytrue.report import write_csv, write_report
from staytrue.runs.folder import Run
from staytrue.runs.writer import RunWriter
from staytrue.studies.citations import CitationShares, citation_means, citations_in


def verdict(id_: str, *shares: float) -> Verdict:
    parts = tuple(
        Evidence("part", name, score=share)
        for name, share in zip(CITATION_PARTS, shares, strict=bool(shares))
    )
    return Verdict(id_, "consistency", 0.9, "consistent", "Right.", parts)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    verdicts = [verdict("right", 1, 1), verdict("half", 0.5, 0.25), verdict("none")]
    with RunWriter(tmp_path / "run", {"consistency": "consistency|x:1"}) as writer:
        for one in verdicts:
            writer.add([Example(one.example_id, "r", one.example_id)], [one])
    return Run(tmp_path / "run")


def test_the_means_are_of_the_responses_that_cite(run: Run) -> None:
    means = citation_means(run)["consistency"]
    assert (means.precision.value, means.recall.value) == (0.75, 0.625)
    assert means.precision.n == 2
    assert citations_in(verdict("none")) is None
    assert citations_in(verdict("half", 0.5, 0.25)) == CitationShares(0.5, 0.25)


def test_the_report_and_its_table_show_them(run: Run) -> None:
    assert "responses that cite" in write_report(run.folder).read_text("utf-8")
    with write_csv(run.folder, run.folder / "t.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    assert rows["half"]["consistency citation precision"] == "0.5"
    assert rows["half"]["consistency citation recall"] == "0.25"
    assert rows["none"]["consistency citation recall"] == ""


def test_a_run_without_citations_is_shown_as_before(tmp_path: Path) -> None:
    with RunWriter(tmp_path / "run", {"consistency": "consistency|x:1"}) as writer:
        writer.add([Example("none", "r", "k")], [verdict("none")])
    assert citation_means(Run(tmp_path / "run")) == {}
    assert "responses that cite" not in write_report(tmp_path / "run").read_text("utf-8")
    table = write_csv(tmp_path / "run", tmp_path / "t.csv").read_text("utf-8")
    assert "citation" not in table
