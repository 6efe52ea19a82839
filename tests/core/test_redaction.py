"""Secrets from the environment never reach a file or a log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from staytrue.core.records import Failure
from staytrue.core.redaction import redact
from staytrue.runs.writer import RunWriter


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-very-secret")


def test_secret_values_and_logins_are_hidden() -> None:
    assert redact("Bearer sk-very-secret") == "Bearer ***"
    assert redact("http://me:pw@host/x") == "http://***@host/x"
    assert redact("nothing here") == "nothing here"


def test_a_run_folder_holds_no_secret(tmp_path: Path) -> None:
    settings = {"backend": "openai,key=sk-very-secret", "inputs": ["http://me:pw@host/x"]}
    with RunWriter(tmp_path, {"m": "m|seed:0"}, settings=settings) as writer:
        writer.add((), failures=[Failure("bot", "401 for key sk-very-secret")])
    for file in tmp_path.iterdir():
        assert "sk-very-secret" not in file.read_text()
        assert "me:pw" not in file.read_text()
    assert json.loads((tmp_path / "manifest.json").read_text())["settings"]["backend"]
