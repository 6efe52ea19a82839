"""Bots that are slow, busy or broken behind a real HTTP server."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import pytest
from tests.chatbots.server import Reply, Server, serving

from staytrue.core.errors import UsageError
from staytrue.core.records import Failure, Turn
from staytrue.elicit.talking import Limits, Listener, Need, Progress, Talking
from staytrue.plugins.registry import load_chatbot

TURNS = 3


@contextmanager
def one_at_a_time(seconds: float) -> Iterator[Server]:
    """A server like a local model: it makes one reply after the other, wanted or not."""
    at_work = threading.Lock()

    def answer(number: int, body: Any) -> Reply:
        with at_work:
            time.sleep(seconds)
        return Reply({"reply": "I have seven cats."})

    with serving(answer) as server:
        yield server


class Heard(Listener):
    def __init__(self) -> None:
        self.seen: list[Progress] = []
        self.advice: list[str] = []

    def progress(self, progress: Progress) -> None:
        self.seen.append(progress)

    def advise(self, advice: str) -> None:
        self.advice.append(advice)


def talked(
    url: str, options: str, dialogues: int, limits: Limits | None = None
) -> tuple[Talking, list[str | Failure], Heard]:
    """Hold dialogues of a few turns with the bot at `url`."""
    heard = Heard()
    talking = Talking({"slow": load_chatbot(f"http:{url}/chat{options}")}, limits, heard)

    def talk(number: int, conversation: int) -> str:
        history: list[Turn] = []
        for turn in range(TURNS):
            history.append(Turn("user", f"question {turn}"))
            text = talking.reply("slow", history, seed=number, conversation=conversation)
            history.append(Turn("bot", text))
        return history[-1].text

    talking.expect(dialogues)
    results = talking.hold(
        range(dialogues), talk, lambda number, problem: Failure(str(number), problem),
        lambda number: Need((("slow", TURNS),)),
    )  # fmt: skip
    return talking, list(results), heard


@pytest.mark.slow
@pytest.mark.alone
def test_a_bot_that_makes_one_reply_at_a_time_loses_no_dialogue() -> None:
    with one_at_a_time(0.6) as server:
        talking, results, heard = talked(server.url, ",timeout=1,backoff=0.1", 3)
    assert results == ["I have seven cats."] * 3
    assert len(server.bodies) <= 3 * TURNS + 2  # hardly a request is repeated
    assert talking.budget.usage()["slow"].requests == len(server.bodies)
    assert heard.seen[-1] == Progress(3, done=3, failed=0, replies=3 * TURNS)
    assert any("longer timeout" in advice for advice in heard.advice)


def test_a_bot_that_is_never_in_time_fails_with_the_option_that_helps() -> None:
    with one_at_a_time(0.3) as server:
        _, results, heard = talked(server.url, ",timeout=0.1,backoff=0.01,retries=0", 2)
    assert all(isinstance(result, Failure) for result in results)
    assert any("such as timeout=0.2" in advice for advice in heard.advice)
    # What failed is not counted as done.
    assert heard.seen[-1] == Progress(2, done=0, failed=2, replies=0)
    assert heard.seen[-1].left == 0


def test_a_bot_that_is_never_in_time_ends_the_talking_after_three_tries() -> None:
    with serving(lambda number, body: Reply({"reply": "hi"}, delay=0.3)) as server:
        with pytest.raises(UsageError, match=r"one question at a time.*such as timeout=0\.2"):
            talked(server.url, ",timeout=0.1,backoff=0.01,retries=5", 20)
        assert len(server.bodies) == 3


def test_a_quick_bot_is_soon_asked_as_much_at_once_as_allowed() -> None:
    with serving(lambda number, body: Reply({"reply": "hi"}, delay=0.05)) as server:
        _, results, heard = talked(server.url, "", 24, Limits(concurrency=6))
    assert results == ["hi"] * 24
    assert server.most_at_once == 6
    assert heard.advice == []


@pytest.mark.parametrize(("limits", "tries"), [(Limits(), 3), (Limits(retries=1), 2)])
def test_one_place_decides_how_often_a_reply_is_asked_for(limits: Limits, tries: int) -> None:
    with serving(lambda number, body: Reply({}, 500)) as server:
        _, results, _ = talked(server.url, ",backoff=0.01,retries=2", 1, limits)
    assert isinstance(results[0], Failure)
    assert len(server.bodies) == tries


def test_a_busy_bot_is_left_alone_by_all_conversations_for_as_long_as_it_asks() -> None:
    asked: list[float] = []

    def answer(number: int, body: Any) -> Reply:
        asked.append(time.monotonic())
        busy = Reply({}, 429, {"Retry-After": "1"})
        return busy if number == 4 else Reply({"reply": "hi"}, delay=0.02)

    with serving(answer) as server:
        _, results, _ = talked(server.url, "", 8, Limits(concurrency=2))
    assert results == ["hi"] * 8
    gaps = [later - earlier for earlier, later in pairwise(asked[4:])]
    # At most one that was under way already comes before the pause.
    assert max(gaps[:2]) > 0.8


def test_a_server_that_is_not_there_ends_the_talking_after_three_knocks() -> None:
    with serving(lambda number, body: Reply({"reply": "hi"})) as server:
        gone = server.url
    with pytest.raises(UsageError, match="cannot be reached"):
        talked(gone, ",backoff=0.01", 50)


def test_the_conversation_that_began_first_ends_first() -> None:
    ended: list[int] = []
    with one_at_a_time(0.02) as server:
        talking = Talking({"slow": load_chatbot(f"http:{server.url}/chat,timeout=0.1")})

        def talk(number: int, conversation: int) -> int:
            for turn in range(4):
                talking.reply("slow", [Turn("user", str(turn))], conversation=conversation)
            ended.append(number)
            return number

        def need(number: int) -> Need:
            return Need((("slow", 4),))

        list(talking.hold(range(5), talk, lambda n, problem: Failure(str(n), problem), need))
    # Two that stand side by side may come to the queue in either order: a thread that has just been
    # answered may be a moment late with its next message.
    assert sorted(ended) == list(range(5))
    assert all(abs(rank - number) <= 1 for rank, number in enumerate(ended))
