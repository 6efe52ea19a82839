from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.chatbots.server import Reply, serving

from staytrue.chatbots.http import endpoint as http
from staytrue.core.errors import ChatbotError, UsageError
from staytrue.core.records import Turn
from staytrue.plugins.registry import load_chatbot

HISTORY = [Turn("user", "hello"), Turn("bot", "hey"), Turn("user", "who are you?")]


def test_sends_message_history_persona_and_seed_and_reads_reply() -> None:
    with serving(lambda n, body: Reply({"reply": " hi "})) as server:
        bot = load_chatbot(f"http:{server.url}/chat")
        assert bot.reply(HISTORY, persona=["i am bob"], seed=9) == "hi"
    assert server.bodies[0]["message"] == "who are you?"
    assert server.bodies[0]["history"][1] == {"speaker": "bot", "text": "hey"}
    assert server.bodies[0]["persona"] == ["i am bob"]
    assert server.bodies[0]["seed"] == 9


def test_a_mapping_shapes_request_reply_and_headers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_KEY", "very-secret")
    mapping = {
        "request": {"input": {"text": "$message", "past": "$texts"}, "tags": ["$seed", "x"]},
        "reply": "output.0.text",
        "headers": {"X-Api-Key": "${BOT_KEY}"},
    }
    file = tmp_path / "map.json"
    file.write_text(json.dumps(mapping))
    with serving(lambda n, body: Reply({"output": [{"text": "yes"}]})) as server:
        assert load_chatbot(f"http:{server.url},map={file}").reply(HISTORY, seed=4) == "yes"
    past = ["hello", "hey", "who are you?"]
    assert server.bodies == [{"input": {"text": "who are you?", "past": past}, "tags": [4, "x"]}]
    assert server.headers[0]["X-Api-Key"] == "very-secret"


def test_a_header_key_that_is_not_set_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BOT_KEY", raising=False)
    file = tmp_path / "map.json"
    file.write_text('{"headers": {"X": "${BOT_KEY}"}}')
    with pytest.raises(UsageError, match="BOT_KEY"):
        load_chatbot(f"http:http://localhost/chat,map={file}")


@pytest.mark.parametrize("body", [{}, [], {"reply": 3}, {"reply": None}, "text"])
def test_an_answer_without_the_reply_is_an_error(body: object) -> None:
    with serving(lambda n, _: Reply(body)) as server, pytest.raises(ChatbotError, match="'reply'"):
        http.load(server.url).reply(HISTORY)


def test_a_plain_url_works_as_a_spec_and_nonsense_is_refused() -> None:
    assert load_chatbot("http://localhost:8000/chat").transport.url == "http://localhost:8000/chat"
    with pytest.raises(UsageError, match="Write the bot's address"):
        load_chatbot("http:localhost")


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ('{"request": ["$message"]}', "request in the mapping .* must be a JSON object"),
        ('{"reply": ["text"]}', "reply in the mapping .* must be a path"),
        ('["$message"]', "must be a JSON object with request"),
    ],
)
def test_a_mapping_of_another_shape_is_a_usage_error(
    mapping: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "map.json"
    file.write_text(mapping)
    with pytest.raises(UsageError, match=message):
        load_chatbot(f"http:http://localhost,map={file}")


def test_an_unreadable_mapping_is_a_usage_error(tmp_path: Path) -> None:
    file = tmp_path / "map.json"
    file.write_text("{")
    with pytest.raises(UsageError, match="Cannot read the mapping"):
        load_chatbot(f"http:http://localhost,map={file}")


def test_a_server_that_was_never_there_ends_the_run_at_once() -> None:
    with serving(lambda n, body: Reply({"reply": "hi"})) as server:
        gone = server.url
    bot = load_chatbot(f"http:{gone}/chat,backoff=0.01")
    with pytest.raises(UsageError, match="cannot be reached: start the server"):
        bot.reply(HISTORY)


def test_a_server_that_goes_away_later_costs_only_its_replies() -> None:
    with serving(lambda n, body: Reply({"reply": "hi"})) as server:
        bot = load_chatbot(f"http:{server.url}/chat,backoff=0.01,retries=2")
        assert bot.reply(HISTORY) == "hi"
    bot.transport._client = None  # the open connection outlives the test server
    with pytest.raises(ChatbotError, match="the connection failed"):
        bot.reply(HISTORY)
