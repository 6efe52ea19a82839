from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from training import groundedness_data, token_files
from training.common import GROUNDEDNESS_LABELS, SHIPPED
from training.groundedness_data import ECHOES, TAUGHT, echoed, first_segment, prepare

from staytrue.backends.embedded.heads import _turn
from staytrue.core.protocols import Grounding

ROW = {
    "evidence": "Tea is hot.",
    "message": "hi",
    "response": "Tea is hot .",
    "label": "entailment",
}


@pytest.mark.parametrize("message", ["", "do you like tea?"])
def test_training_and_product_join_evidence_and_message_alike(message: str) -> None:
    asked = Grounding("Tea is hot.", message, "It is.")
    assert first_segment(asked.evidence, asked.message) == asked.evidence + _turn(asked)


def test_every_sixth_claim_gets_a_message_that_says_the_same() -> None:
    rows = [echoed(number, ROW) for number in range(60)]
    changed = [number for number, row in enumerate(rows) if row != ROW]
    assert changed == list(range(0, 60, 6))
    messages = [rows[number]["message"] for number in changed]
    assert messages == [echo.format("Tea is hot") for echo in ECHOES] * 2


def test_an_echo_changes_the_message_alone_and_leaves_the_given_row() -> None:
    before = dict(ROW)
    changed = echoed(0, ROW)
    assert before == ROW
    assert {key for key in ROW if changed[key] != ROW[key]} == {"message"}


@pytest.mark.parametrize("label", ["off-topic", "generic"])
def test_small_talk_is_not_echoed(label: str) -> None:
    row = {**ROW, "label": label}
    assert echoed(0, row) == row


@pytest.fixture
def silver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_rows) -> Path:
    monkeypatch.setattr(groundedness_data, "CHECKPOINTS", tmp_path / "checkpoints")
    monkeypatch.setattr(token_files, "WARM_START", SHIPPED)
    rows = [{**ROW, "label": label} for label in GROUNDEDNESS_LABELS]
    return write_rows(tmp_path / "train.jsonl.gz", rows)


def test_a_prepared_file_has_the_codes_of_the_labels(silver: Path) -> None:
    path = prepare(silver)
    assert path.name == "groundedness-train.npz"
    assert np.load(path)["labels"].tolist() == [0, 1, 2, 3, 4]


def test_taught_rows_follow_with_the_probabilities_of_their_teacher(
    silver: Path, write_rows
) -> None:
    given = dict(zip(GROUNDEDNESS_LABELS, (0.7, 0.1, 0.2, 0.0, 0.0), strict=True))
    row = {"evidence": "Tea is hot.", "message": "", "response": "It is.", "begin": given}
    path = prepare(silver, write_rows(silver.parent / "taught.jsonl.gz", [row]))
    assert path.name == "groundedness-train-taught.npz"
    made = np.load(path)
    assert made["labels"].tolist() == [0, 1, 2, 3, 4, TAUGHT]
    assert [made[label].tolist()[-1] for label in GROUNDEDNESS_LABELS] == [700, 100, 200, 0, 0]
    assert not made["entailment"][:-1].any()


def test_rows_are_prepared_again_only_after_they_changed(silver: Path, write_rows) -> None:
    path = prepare(silver)
    os.utime(path, (path.stat().st_mtime + 5,) * 2)
    made = path.stat().st_mtime
    assert prepare(silver).stat().st_mtime == made
    write_rows(silver, [ROW])
    os.utime(silver, (made + 5,) * 2)
    assert np.load(prepare(silver))["labels"].tolist() == [0]
