"""The toys keep what every part of their kind keeps."""

from __future__ import annotations

from pathlib import Path

from staytrue import testing


def test_the_metric() -> None:
    testing.check_metric("brevity,words=3")


def test_the_backend() -> None:
    testing.check_backend("word-match")
    testing.check_metric("nli", backend="word-match")


def test_the_chatbot() -> None:
    testing.check_chatbot("parrot:Well,times=2")


def test_the_data_set(tmp_path: Path) -> None:
    file = tmp_path / "rows.txt"
    file.write_text("1 | Tea is green. | Tea is green.\nnonsense\n")
    assert [row.id for row in testing.check_dataset("pipes", str(file))] == ["1"]
