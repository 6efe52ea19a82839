"""What every chatbot promises, whatever stands behind it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.chatbots.server import Reply, chat_reply, serving

from staytrue.core.protocols import Chatbot
from staytrue.core.records import Turn
from staytrue.plugins.registry import load_chatbot, names
from staytrue.testing import check_chatbot

HISTORY = (
    Turn("user", "hello"),
    Turn("bot", "I live in Miami."),
    Turn("user", "Where do you live?"),
)
NEEDS_WEIGHTS = {"hf", "gguf"}  # from a hub; their own tests make tiny ones
KINDS = tuple(name for name in names("chatbots") if name not in NEEDS_WEIGHTS)


def answer(number: int, body: dict[str, object]) -> Reply:
    """A server that speaks both forms, and whose answer depends on what it is sent alone."""
    text = f"reply {len(json.dumps(body, sort_keys=True))} {body.get('seed')}"
    reply = chat_reply(text)
    return Reply({**reply.body, "reply": text})


@pytest.fixture(params=KINDS)
def bot(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Chatbot]:
    (tmp_path / "contract_bots.py").write_text(
        "def echo(history, persona=(), seed=0):\n"
        "    return f'{history[-1].text} {persona} {seed}'\n"
    )
    row = {"history": [turn.text for turn in HISTORY], "response": "In Miami."}
    (tmp_path / "t.jsonl").write_text(json.dumps(row) + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with ExitStack() as stack:
        server = stack.enter_context(serving(answer))
        specs = {
            "scripted": "scripted:one|two",
            "persona": "persona:seed=1,slip=0.5",
            "python": "python:contract_bots:echo",
            "transcript": f"transcript:{tmp_path / 't.jsonl'}",
            "retrieval": f"retrieval:{tmp_path / 't.jsonl'}",
            "extractive": "extractive:memory=4",
            "agreeable": "agreeable:",
            "openai": f"openai:tiny@{server.url}/v1",
            "http": f"http:{server.url}/bot",
        }
        yield load_chatbot(specs[request.param])


def test_every_chatbot_keeps_the_contract(bot: Chatbot) -> None:
    check_chatbot(bot, HISTORY)
