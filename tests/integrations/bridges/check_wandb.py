"""Run in an environment with Weights & Biases: see test_bridges.py."""

import pytest
import wandb

import staytrue
from staytrue.integrations.wandb import log_run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WANDB_SILENT", "true")
    staytrue.evaluate(
        [staytrue.Example("1", "coffee", "coffee"), staytrue.Example("2", "", "coffee")],
        "overlap",
        out=tmp_path / "answers-run",
    )
    return tmp_path / "answers-run"


def test_a_run_folder_is_written_offline(folder, tmp_path):
    log_run(folder)
    assert wandb.run is None  # finished
    (written,) = tmp_path.glob("wandb/offline-run-*/run-*.wandb")
    content = written.read_bytes()
    for told in (b"overlap mean", b"overlap|staytrue:", b"answers-run", b"verdicts.jsonl"):
        assert told in content


def test_it_joins_a_run_that_is_open(folder):
    with wandb.init(project="mine", mode="offline") as run:
        log_run(folder, files=False)
        assert wandb.run is run
        assert run.summary["overlap mean"] == 1.0
        assert run.summary["overlap abstained"] == 1
        assert run.config["signature overlap"].startswith("overlap|staytrue:")
