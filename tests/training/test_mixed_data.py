"""What the models learn from is cleaned, named and labelled as it should be."""

from __future__ import annotations

from pathlib import Path

import pytest
from training import mixed_data
from training.common import GROUNDEDNESS_LABELS


def test_a_silver_row_is_an_entailment_pair_with_the_label_that_is_sure(
    tmp_path: Path, write_rows
) -> None:
    rows = [
        {"evidence": f"known {label}", "response": f"said {label}", "label": label}
        for label in GROUNDEDNESS_LABELS
    ]
    pairs = list(mixed_data.silver_pairs(write_rows(tmp_path / "train.jsonl.gz", rows)))
    assert [pair["label"] for pair in pairs] == [
        "entailment", "contradiction", "not_entailment", "neutral", "neutral"
    ]  # fmt: skip
    assert pairs[2]["premise"] == "known hallucination"
    assert pairs[2]["hypothesis"] == "said hallucination"
    assert {pair["source"] for pair in pairs} == {"silver"}


@pytest.mark.parametrize(
    ("source", "name"), [("mnli3000", "mnli"), ("snli_100k", "snli"), ("ScoNe", "ScoNe")]
)
def test_cuts_of_one_collection_have_one_name(
    source: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_rows
) -> None:
    row = {"premise": "A.", "hypothesis": "B.", "label": "neutral", "source": source}
    write_rows(tmp_path / "train" / "nli.jsonl.gz", [row])
    write_rows(tmp_path / "train" / "nli2.jsonl.gz", [row | {"source": "lingnli"}])
    monkeypatch.setattr(mixed_data, "DATA", tmp_path)
    monkeypatch.setattr(mixed_data.splits, "paws", lambda: ([], []))
    assert [pair["source"] for pair in mixed_data.public_pairs()] == [name]
