from __future__ import annotations

from pathlib import Path

import pytest
from training import entailment_data
from training.common import GROUNDEDNESS_LABELS
from training.entailment_data import LABEL_CODES, clean_rows, columns, silver_pairs


def test_a_silver_row_is_an_entailment_pair_with_the_label_that_is_sure(
    tmp_path: Path, write_rows
) -> None:
    rows = [
        {"evidence": f"known {label}", "response": f"said {label}", "label": label}
        for label in GROUNDEDNESS_LABELS
    ]
    pairs = list(silver_pairs(write_rows(tmp_path / "train.jsonl.gz", rows)))
    assert [pair["label"] for pair in pairs] == [
        "entailment", "contradiction", "not_entailment", "neutral", "neutral"
    ]  # fmt: skip
    assert pairs[2]["premise"] == "known hallucination"
    assert pairs[2]["hypothesis"] == "said hallucination"
    assert {pair["source"] for pair in pairs} == {"silver"}


@pytest.mark.parametrize(("label", "code"), LABEL_CODES.items())
def test_a_label_becomes_its_code(label: str, code: int) -> None:
    assert columns({"label": label, "source": "mnli"}, None)["labels"] == code


def test_a_taught_pair_keeps_its_probabilities_in_thousandths(data: Path, write_rows) -> None:
    row = {"evidence": "A.", "response": "B.", "entailment": 0.7, "contradiction": 0.0625}
    write_rows(data / "taught" / "train.jsonl.gz", [row])
    write_rows(data / "train" / "nli.jsonl.gz", [])
    (pair,) = clean_rows(1)
    found = columns(pair, None)
    assert (found["labels"], found["sources"]) == (LABEL_CODES["taught"], "taught")
    assert (found["entailed"], found["contradicted"]) == (700, 62)


@pytest.mark.parametrize(
    ("source", "name"),
    [("mnli3000", "mnli"), ("snli_100k", "snli"), ("snli_train18k", "snli"), ("tenp", "tenp")],
)
def test_cuts_of_one_collection_have_one_name(source: str, name: str) -> None:
    assert columns({"label": "neutral", "source": source}, None)["sources"] == name


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_rows) -> Path:
    """Dev sets with one pair each, and nothing to make pairs of."""
    for name in ("snli_dev", "mnli_dev", "dnli_dev", "fever_dev", "fever_symmetric_dev"):
        row = {"premise": f"Known to {name}.", "hypothesis": f"Said by {name}."}
        write_rows(tmp_path / "dev" / f"{name}.jsonl.gz", [row])
    for name in ("silver", "taught"):
        write_rows(tmp_path / name / "train.jsonl.gz", [])
    monkeypatch.setattr(entailment_data, "DATA", tmp_path)
    monkeypatch.setattr(entailment_data, "CHECKPOINTS", tmp_path)
    made = ("grounded_pairs", "answer_pairs", "persona_pairs", "talk_pairs", "role_pairs")
    for name in (*made, "number_pairs", "life_pairs"):
        monkeypatch.setattr(entailment_data, name, lambda *_: iter(()))
    return tmp_path


def test_pairs_of_the_dev_sets_are_left_out_however_they_are_written(
    data: Path, write_rows
) -> None:
    rows = [
        {"premise": "known to  MNLI_dev", "hypothesis": "said by mnli_dev!"},
        {"premise": "Known to mnli_dev.", "hypothesis": "Said otherwise."},
        {"premise": "Known elsewhere.", "hypothesis": "Said by mnli_dev."},
    ]
    write_rows(data / "train" / "nli.jsonl.gz", rows)
    assert list(clean_rows(1)) == rows[1:]


def test_claims_of_fever_symmetric_are_left_out_with_any_evidence(data: Path, write_rows) -> None:
    rows = [
        {"premise": "Other evidence.", "hypothesis": "said by fever_symmetric_dev"},
        {"premise": "Other evidence.", "hypothesis": "said by fever_dev"},
    ]
    write_rows(data / "train" / "nli.jsonl.gz", rows)
    assert list(clean_rows(1)) == rows[1:]
