"""How many replies a bot is asked for at once."""

from __future__ import annotations

import threading

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


def test_it_starts_low_and_grows_while_replies_are_quick() -> None:
    clock = Clock()
    pace = Pace(8, timeout=10, clock=clock)
    limits = []
    for _ in range(7):
        limits.append(pace.limit)
        reply(pace, clock, 0.1)
    assert limits[0] == 1
    assert limits == sorted(limits)
    assert pace.limit == 8
    assert pace.advice("bot") is None


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
