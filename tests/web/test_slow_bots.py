"""A bot that takes its time keeps nobody waiting but whoever talks to it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from staytrue.chatbots.scripted import ScriptedChatbot


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Every bot waits until it is let go."""
    go = threading.Event()
    original = ScriptedChatbot.reply

    def reply(self, history, **more):
        go.wait(30)
        return original(self, history, **more)

    monkeypatch.setattr(ScriptedChatbot, "reply", reply)
    yield go
    go.set()


def sign_up(url: str, name: str) -> httpx.Client:
    client = httpx.Client(base_url=url, timeout=60)
    made = client.post("/v1/accounts", json={"name": name, "password": "a long password"})
    client.headers["Authorization"] = f"Bearer {made.json()['token']}"
    client.cookies.clear()
    return client


def test_messages_to_a_slow_bot_do_not_delay_others(make_server, slow: threading.Event) -> None:
    server = make_server()
    people = [sign_up(server.url, f"person {number}") for number in range(12)]
    chats = [person.post("/v1/chats").json()["id"] for person in people]

    def say(number: int) -> int:
        person = number % len(people)
        return (
            people[person].post(f"/v1/chats/{chats[person]}/say", json={"text": "hi"}).status_code
        )

    with ThreadPoolExecutor(60) as pool:
        answers = [pool.submit(say, number) for number in range(60)]
        time.sleep(1)
        begin = time.monotonic()
        for _ in range(3):
            assert httpx.get(f"{server.url}/health").status_code == 200
        taken = time.monotonic() - begin
        slow.set()
        statuses = [answer.result() for answer in answers]
    # The bots answer only after the loop: had one of them been waited for, it would be 30 s.
    assert taken < 10
    assert statuses.count(200) == len(people)
    assert set(statuses) == {200, 429}


def test_a_person_waits_for_one_answer_at_a_time(make_server, slow: threading.Event) -> None:
    server = make_server()
    ann = sign_up(server.url, "ann")
    chat = ann.post("/v1/chats").json()["id"]
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(ann.post, f"/v1/chats/{chat}/say", json={"text": "hi"})
        time.sleep(0.5)
        second = sign_up_again(server.url, ann).post(f"/v1/chats/{chat}/say", json={"text": "hi"})
        slow.set()
        assert first.result().status_code == 200
    assert second.status_code == 429
    assert int(second.headers["Retry-After"]) >= 1
    assert "still answering" in second.json()["error"]


def sign_up_again(url: str, other: httpx.Client) -> httpx.Client:
    return httpx.Client(base_url=url, headers=other.headers)


def test_a_bot_that_never_answers_is_given_up(make_server, slow: threading.Event) -> None:
    server = make_server(reply_seconds=0.3)
    ann = sign_up(server.url, "ann")
    chat = ann.post("/v1/chats").json()["id"]
    answer = ann.post(f"/v1/chats/{chat}/say", json={"text": "hi"})
    assert answer.status_code == 400
    assert "gave no answer" in answer.json()["error"]
