from __future__ import annotations

import email.utils
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from tests.chatbots.server import Reply, chat_reply, serving

from staytrue.chatbots.http import openai
from staytrue.core.errors import ChatbotError, ChatbotRefusal, UsageError
from staytrue.core.records import Turn
from staytrue.plugins.registry import load_chatbot

HELLO = [Turn("user", "hello")]


def bot_for(url: str, **options: object) -> openai.OpenAIChatbot:
    given = "".join(f",{k}={v}" for k, v in {"backoff": 0.01, **options}.items())
    return load_chatbot(f"openai:tiny@{url}/v1{given}")


def test_sends_system_prompt_persona_and_the_dialogue_from_the_bots_side() -> None:
    with serving(lambda n, body: chat_reply("hi")) as server:
        bot = bot_for(server.url, prompt="Be brief.", temperature=0.5, max_tokens=7)
        history = [Turn("user", "hello"), Turn("bot", "hey"), Turn("user", "who are you?")]
        assert bot.reply(history, persona=["i am bob"], seed=3) == "hi"
    body = server.bodies[0]
    assert server.paths == ["/v1/chat/completions"]
    assert [m["role"] for m in body["messages"]] == ["system", "user", "assistant", "user"]
    assert "Be brief." in body["messages"][0]["content"]
    assert "i am bob." in body["messages"][0]["content"]
    assert (body["model"], body["temperature"], body["top_p"]) == ("tiny", 0.5, 0.9)
    assert (body["max_tokens"], body["seed"]) == (7, 3)


def test_prompt_and_persona_can_stand_before_the_users_first_words() -> None:
    with serving(lambda n, body: chat_reply("hi")) as server:
        bot = bot_for(server.url, prompt="Be brief.", system="first")
        bot.reply([*HELLO, Turn("bot", "hey"), Turn("user", "who?")], persona=["i am bob"])
    first = "Be brief.\nThis is you: i am bob.\n\nhello"
    assert server.bodies[0]["messages"] == [
        {"role": "user", "content": first},
        {"role": "assistant", "content": "hey"},
        {"role": "user", "content": "who?"},
    ]


@pytest.mark.parametrize("refusal", [
    "System role not supported",
    "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    "Developer instruction is not enabled for this model",
    "Only user and assistant roles are supported!",
])  # fmt: skip
def test_a_refused_system_message_names_the_option_that_helps(refusal: str) -> None:
    def answer(_: int, body: Any) -> Reply:
        refused = any(message["role"] == "system" for message in body["messages"])
        return Reply({"error": {"message": refusal}}, 400) if refused else chat_reply("hi")

    with serving(answer) as server:
        with pytest.raises(ChatbotRefusal, match=r"status 400.*add  system=first") as error:
            bot_for(server.url).reply(HELLO)
        assert str(error.value).count(". ") == 0
        assert bot_for(server.url, system="first").reply(HELLO) == "hi"


def test_other_refusals_do_not_name_it() -> None:
    for refusal, options in (("too long", {}), ("no system here", {"system": "first"})):
        with (
            serving(lambda n, body, refusal=refusal: Reply({"error": refusal}, 400)) as server,
            pytest.raises(ChatbotRefusal) as error,
        ):
            bot_for(server.url, **options).reply(HELLO)
        assert "system=first" not in str(error.value)


def test_another_place_for_the_system_is_refused() -> None:
    with pytest.raises(UsageError, match="takes one of: role, first"):
        load_chatbot("openai:m@http://localhost/v1,system=last")


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_failure_that_passes_is_tried_again(status: int) -> None:
    replies = [Reply({}, status), Reply({}, status), chat_reply("at last")]
    with serving(lambda n, body: replies[n]) as server:
        bot = bot_for(server.url)
        assert bot.reply(HELLO) == "at last"
    assert (bot.usage.requests, bot.usage.retries) == (3, 2)


def test_retry_after_is_obeyed_as_seconds_and_as_a_date() -> None:
    later = email.utils.formatdate(time.time() + 30, usegmt=True)
    replies = [
        Reply({}, 429, {"Retry-After": "7"}),
        Reply({}, 503, {"Retry-After": later}),
        chat_reply("ok"),
    ]
    waits: list[float] = []
    with serving(lambda n, body: replies[n]) as server:
        bot = bot_for(server.url)
        bot = replace(bot, transport=replace(bot.transport, sleep=waits.append))
        assert bot.reply(HELLO) == "ok"
    assert waits[0] == 7
    assert 25 < waits[1] <= 30


def test_a_wrong_request_is_not_repeated_and_its_message_has_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    reply = Reply({"error": "Incorrect API key provided: sk-very-secret"}, 401)
    with serving(lambda n, body: reply) as server:
        with pytest.raises(UsageError, match=r"status 401.*check the key") as error:
            bot_for(server.url).reply(HELLO)
        assert len(server.bodies) == 1
    assert server.headers[0]["Authorization"] == "Bearer sk-very-secret"
    assert "sk-very-secret" not in str(error.value)


def test_an_unknown_model_or_address_is_a_usage_error() -> None:
    with (
        serving(lambda n, body: Reply({"error": "no model tiny"}, 404)) as server,
        pytest.raises(UsageError, match=r"no model tiny.*check the address"),
    ):
        bot_for(server.url).reply(HELLO)
    with pytest.raises(UsageError, match="is not a URL"):
        bot_for("localhost:1").reply(HELLO)


def test_a_request_that_the_server_refuses_is_not_repeated() -> None:
    with serving(lambda n, body: Reply({"error": "too long"}, 400)) as server:
        with pytest.raises(ChatbotRefusal, match=r"status 400.*too long"):
            bot_for(server.url).reply(HELLO)
        assert len(server.bodies) == 1


def test_a_longer_wait_than_any_is_not_begun() -> None:
    waits: list[float] = []
    replies = [Reply({}, 429, {"Retry-After": "500"}), Reply({}, 429, {"Retry-After": "7200"})]
    with serving(lambda n, body: replies[n]) as server:
        bot = bot_for(server.url)
        bot = replace(bot, transport=replace(bot.transport, sleep=waits.append))
        with pytest.raises(ChatbotError, match="asks to wait 7,200 seconds; try again later"):
            bot.reply(HELLO)
    assert waits == [500]


@pytest.mark.parametrize("option", ["concurrency=0", "concurrency=-1", "retries=-1", "timeout=0"])
def test_numbers_that_would_hang_or_never_ask_are_refused(option: str) -> None:
    with pytest.raises(UsageError, match=rf"Option {option.partition('=')[0]} of chatbot openai"):
        load_chatbot(f"openai:m@http://localhost/v1,{option}")


def test_a_key_is_not_shown_when_the_bot_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    assert "sk-very-secret" not in repr(load_chatbot("openai:tiny@http://127.0.0.1:1/v1"))


def test_a_server_that_never_answers_is_given_up_after_the_retries() -> None:
    slow = replace(chat_reply("late"), delay=0.5)
    with serving(lambda n, body: slow) as server:
        bot = bot_for(server.url, timeout=0.05, retries=1)
        with pytest.raises(ChatbotError, match=r"no reply within 0\.05 seconds"):
            bot.reply(HELLO)
    assert bot.usage.requests == 2


@pytest.mark.parametrize(
    "body", [{}, {"choices": []}, {"choices": [{"message": None}]}, [1], "text", None]
)
def test_an_answer_of_another_shape_is_an_error(body: object) -> None:
    with (
        serving(lambda n, _: Reply(body)) as server,
        pytest.raises(ChatbotError, match="without choices"),
    ):
        bot_for(server.url).reply(HELLO)


def test_an_answer_without_text_is_an_error() -> None:
    reply = Reply({"choices": [{"message": {"content": None}}]})
    with serving(lambda n, _: reply) as server, pytest.raises(ChatbotError, match="no text"):
        bot_for(server.url).reply(HELLO)


def test_garbage_instead_of_json_is_tried_again_then_an_error() -> None:
    with serving(lambda n, _: Reply(b"<html>\x1b[2Joops")) as server:
        with pytest.raises(ChatbotError, match="not JSON") as error:
            bot_for(server.url, retries=2).reply(HELLO)
        assert len(server.bodies) == 3
    assert "\x1b" not in str(error.value)


def test_nobody_listening_is_an_error() -> None:
    with pytest.raises(ChatbotError, match="connection failed"):
        bot_for("http://127.0.0.1:9", retries=0).reply(HELLO)


def test_at_most_as_many_requests_at_once_as_allowed() -> None:
    reply = replace(chat_reply("hi"), delay=0.02)
    with serving(lambda n, _: reply) as server:
        bot = bot_for(server.url, concurrency=3)
        with ThreadPoolExecutor(12) as pool:
            assert set(pool.map(lambda _: bot.reply(HELLO), range(24))) == {"hi"}
    assert server.most_at_once == 3


def test_tokens_and_cost_are_counted() -> None:
    with serving(lambda n, _: chat_reply("hi", 1000, 100)) as server:
        bot = bot_for(server.url, price_in=2, price_out=10)
        bot.reply(HELLO)
        bot.reply(HELLO)
    assert (bot.usage.tokens_in, bot.usage.tokens_out) == (2000, 200)
    assert bot.usage.cost == pytest.approx(0.006)


def test_a_model_name_may_hold_a_colon_and_a_wrong_option_is_named() -> None:
    assert load_chatbot("openai:qwen3:4b@http://localhost:11434/v1").model == "qwen3:4b"
    with pytest.raises(UsageError, match="no option 'temprature'"):
        load_chatbot("openai:m@http://localhost/v1,temprature=1")
    with pytest.raises(UsageError, match="takes a whole number"):
        load_chatbot("openai:m@http://localhost/v1,retries=many")
    with pytest.raises(UsageError, match="Write the model's name"):
        load_chatbot("openai:")
