"""Run in an environment with MLflow: see test_bridges.py."""

import mlflow
import pytest

import staytrue
from staytrue.integrations.mlflow import log_run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "store").as_uri())
    run = tmp_path / "answers-run"
    staytrue.evaluate(
        [staytrue.Example("1", "coffee", "coffee"), staytrue.Example("2", "", "coffee")],
        ["overlap", "overlap,stopwords=keep"],
        out=run,
    )
    return run


def test_a_run_folder_becomes_a_run(folder):
    log_run(folder)
    (logged,) = mlflow.MlflowClient().search_runs(["0"])
    assert logged.info.run_name == "answers-run"
    assert logged.data.metrics["overlap mean"] == 1.0
    assert logged.data.metrics["overlap abstained"] == 1
    assert "overlap_stopwords_keep mean" in logged.data.metrics
    assert logged.data.params["signature overlap"].startswith("overlap|staytrue:")
    files = mlflow.MlflowClient().list_artifacts(logged.info.run_id, "staytrue")
    assert "staytrue/verdicts.jsonl" in {file.path for file in files}


def test_it_joins_a_run_that_is_open(folder):
    with mlflow.start_run() as run:
        log_run(folder, files=False)
        assert mlflow.active_run().info.run_id == run.info.run_id
    assert mlflow.get_run(run.info.run_id).data.metrics["overlap mean"] == 1.0
