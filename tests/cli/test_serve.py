"""`staytrue serve` refuses what cannot work, in one sentence."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the web app's extra is not installed")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such-folder"], "There is no folder no-such-folder"),
        (["--metric", "nonsense"], "There is no metric 'nonsense'"),
        (["--host", "0.0.0.0"], "set a password"),
        (["--token", "short"], "at least 8 characters"),
        (["--bot", "nonsense:x"], "There is no chatbot 'nonsense'"),
        (["--database", "nonsense"], "database URL"),
        (["--turns", "0"], "--turns"),
        (["--practice", "-1"], "--practice"),
    ],
)
def test_a_mistake_is_one_sentence(staytrue, arguments: list[str], message: str) -> None:
    done = staytrue("serve", "--port", "18765", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_in_use_is_said(staytrue) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = staytrue("serve", "--port", taken.getsockname()[1])
    assert done.returncode == 2
    assert "choose another --port" in done.stderr


def test_a_token_from_the_environment_never_reaches_the_output(
    staytrue, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STAYTRUE_TOKEN", "very secret token")
    done = staytrue("serve", "--metric", "nonsense")
    assert "very secret" not in done.stdout + done.stderr
