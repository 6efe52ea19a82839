"""How many replies a bot is asked for at once."""

from __future__ import annotations

import threading
import time

import pytest

from staytrue.core.errors import ChatbotTimeout
from staytrue.elicit.talking.pace import Closed, Pace


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def reply(pace: Pace, clock: Clock, seconds: float, *, fails: bool = False) -> None:
    """As many replies as are allowed at once, each of which takes so long."""
    turns = [pace.turn() for _ in range(pace.limit)]
    for turn in turns:
        turn.__enter__()
    clock.now += seconds
    error = ChatbotTimeout("late") if fails else None
    for turn in turns:
        turn.__exit__(type(error) if error else None, error, None)


def test_one_quick_reply_is_enough_to_ask_for_all_at_once() -> None:
    clock = Clock()
    pace = Pace(8, timeout=10, clock=clock)
    assert pace.limit == 1
    reply(pace, clock, 0.1)
    assert pace.limit == 8
    assert pace.advice("bot") is None


def test_it_grows_only_as_far_as_a_server_that_makes_one_reply_after_the_other_keeps_up() -> None:
    clock = Clock()
    pace = Pace(8, timeout=10, clock=clock)
    reply(pace, clock, 1.5)  # three of them take 4.5 seconds, four would take 6
    assert pace.limit == 3
    reply(pace, clock, 4.5)
    assert pace.limit == 3


def test_a_bot_that_one_more_question_could_make_late_is_not_asked_more() -> None:
    clock = Clock()
    pace = Pace(8, timeout=10, clock=clock)
    for _ in range(5):
        reply(pace, clock, 6)
    assert pace.limit == 1
    assert "longer timeout" in (pace.advice("bot") or "")


def test_timeouts_halve_it_once_for_all_that_were_sent_together_and_it_grows_slowly_again() -> None:
    clock = Clock()
    pace = Pace(8, timeout=10, clock=clock)
    for _ in range(7):
        reply(pace, clock, 0.1)
    reply(pace, clock, 10, fails=True)
    assert (pace.limit, pace.timeouts) == (4, 8)
    assert "--concurrency 4" in (pace.advice("bot") or "")
    clock.now += 1
    for _ in range(3):
        reply(pace, clock, 0.1)
    assert pace.limit == 4
    for _ in range(30):
        reply(pace, clock, 0.1)
    assert pace.limit > 4


def test_a_timeout_of_a_single_question_calls_for_a_longer_one() -> None:
    clock = Clock()
    pace = Pace(8, timeout=10, clock=clock)
    reply(pace, clock, 10, fails=True)
    assert "timeout=20" in (pace.advice("bot") or "")


def test_a_bot_without_a_timeout_is_asked_as_much_as_allowed_at_once() -> None:
    assert Pace(8).limit == 8


def test_closing_ends_the_waiting() -> None:
    pace = Pace(1)
    ended = threading.Event()

    def wait() -> None:
        with pytest.raises(Closed), pace.turn():
            pass
        ended.set()

    with pace.turn():
        waiting = threading.Thread(target=wait)
        waiting.start()
        pace.close()
        assert ended.wait(5)
    waiting.join()


def test_requests_per_minute_are_spread_evenly_whoever_asks() -> None:
    pace = Pace(8, per_minute=1200)

    def ask() -> None:
        with pace.turn():
            pass

    start = time.monotonic()
    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.monotonic() - start >= 5 * 60 / 1200
