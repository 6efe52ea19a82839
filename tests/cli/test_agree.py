"""`agree`, `compare` and `list`, through the real command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.conftest import Command


def test_agree_and_compare_on_a_small_file(staytrue: Command, tmp_path: Path) -> None:
    rows = [
        {"id": str(n), "response": "coffee plant" if n % 2 else "moon", "knowledge": "coffee plant",
         "consistent": bool(n % 2)}
        for n in range(10)
    ]  # fmt: skip
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for out in ("a", "b"):
        staytrue("score", "in.jsonl", "--metric", "overlap", "--metric", "bleu", "--out", out)
    table = staytrue("agree", "a")
    assert "1.000 [0.566, 1.000]" in table.stdout  # ROC-AUC of five and five: not certain
    assert "signature: overlap|" in table.stdout
    assert "independent, although they come from only 1 dialogue or document" in table.stdout
    joined = staytrue("agree", "a", "--with", "b").stdout
    *_, last = joined.split("Agreement with people, and of the metrics with one another")
    assert len(re.findall(r"\bpeople\b", last)) == 4  # two metrics of each run
    assert len(re.findall(r"1\.000 \[0\.566, 1\.000\]", last)) == 4
    figures = json.loads(staytrue("agree", "a", "--json").stdout)
    assert figures["metrics"]["overlap"]["yes_no"]["documents"] == 1
    assert figures["metrics"]["overlap"]["yes_no"]["roc_auc"]["value"] == 1
    test = json.loads(staytrue("agree", "a", "--paired", "overlap", "bleu", "--json").stdout)
    assert test["figure"] == "roc_auc"
    same = json.loads(staytrue("compare", "a", "b", "--json").stdout)
    assert same["overlap"]["difference"]["value"] == 0
    staytrue("score", "in.jsonl", "--metric", "overlap,stopwords=keep", "--out", "c")
    refused = staytrue("compare", "a", "c")
    assert refused.returncode == 2
    assert "share no metric" in refused.stderr


def test_list_shows_what_is_registered(staytrue: Command) -> None:
    metrics = staytrue("list", "metrics").stdout
    assert "overlap        Token overlap: F1 of the words" in metrics
    assert "score=probability" in metrics
    datasets = staytrue("list", "datasets").stdout
    assert "q2" in datasets
    assert datasets.count("files: ") == 6  # publisher, file names and licence of each
    assert staytrue("list", "nonsense").returncode == 2


def test_the_overview_names_every_command(staytrue: Command) -> None:
    from staytrue.cli import COMMANDS

    overview = staytrue("--help").stdout
    assert all(name in overview for name in COMMANDS)


@pytest.mark.parametrize(
    ("source", "low", "high"),
    [("q2:{}/dev/q2_cross_annotation.jsonl.gz", 0.68, 0.72),
     ("begin:{}/dev/begin_v1_dev.jsonl.gz", 0.85, 0.87)],
)  # fmt: skip
def test_overlap_has_its_known_agreement_with_people(
    staytrue: Command, published_data: Path, source: str, low: float, high: float
) -> None:
    """The range was measured independently of this code."""
    staytrue("score", source.format(published_data), "--metric", "overlap", "--out", "run")
    figures = json.loads(staytrue("agree", "run", "--json", "--draws", "10").stdout)
    assert low <= figures["metrics"]["overlap"]["yes_no"]["roc_auc"]["value"] <= high
