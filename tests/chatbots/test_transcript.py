from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from staytrue.chatbots import transcript
from staytrue.core.errors import ChatbotError, DataError, UsageError
from staytrue.core.records import Turn
from staytrue.plugins.registry import load_chatbot

ROWS = [
    {"history": [{"speaker": "user", "text": "Hello"}], "response": "hi"},
    {"history": ["hello"], "response": "hey"},
    {"history": ["hello", "hi", "how are you ?"], "response": "fine"},
    {"message": "bye", "response": "see you"},
]


def write(path: Path) -> Path:
    text = "\n".join(json.dumps(row) for row in ROWS)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz"])
def test_plays_back_by_history_and_the_seed_chooses(tmp_path: Path, name: str) -> None:
    bot = transcript.load(str(write(tmp_path / name)))
    hello = [Turn("user", "hello")]
    assert {bot.reply(hello, seed=seed) for seed in range(20)} == {"hi", "hey"}
    assert bot.reply(hello, seed=1) == bot.reply(hello, seed=1)
    assert bot.reply([*hello, Turn("bot", "hi"), Turn("user", "How are  you ?")]) == "fine"


def test_what_was_not_recorded_is_an_error_unless_the_last_turn_is_enough(tmp_path: Path) -> None:
    file = write(tmp_path / "t.jsonl")
    history = [Turn("user", "something else"), Turn("bot", "ok"), Turn("user", "how are you ?")]
    with pytest.raises(ChatbotError, match="no answer to: how are you"):
        transcript.load(str(file)).reply(history)
    assert load_chatbot(f"transcript:{file},match=message").reply(history) == "fine"


def test_a_missing_or_broken_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no transcript"):
        transcript.load("nowhere.jsonl")
    with pytest.raises(UsageError, match="takes one of: history, message"):
        load_chatbot(f"transcript:{write(tmp_path / 't.jsonl')},match=mood")
    (tmp_path / "bad.jsonl").write_text('{"history": []}\n')
    with pytest.raises(DataError, match="Line 1"):
        transcript.load(str(tmp_path / "bad.jsonl"))
    (tmp_path / "ansi.jsonl").write_bytes('{"message": "café", "response": "oui"}'.encode("cp1252"))
    (tmp_path / "torn.jsonl.gz").write_bytes(gzip.compress(b"{}")[:-6])
    (tmp_path / "plain.jsonl.gz").write_bytes(b"{}")
    for name in ("ansi.jsonl", "torn.jsonl.gz", "plain.jsonl.gz"):
        with pytest.raises(DataError, match=f"{name} cannot be read as text: save it as UTF-8"):
            transcript.load(str(tmp_path / name))
