"""How many replies a chatbot is asked for at once: one at first, all that are wanted if quick.

A server that makes one reply after the other lets every further request wait for those before it.
When they time out, it still works them off, and their repeats wait even longer. So a bot with a
timeout is asked for as many at once as even such a server would make in half of the time, for half
as many after a timeout, and from then on for one more at a time.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

from staytrue.core.errors import ChatbotBusy, ChatbotTimeout

# A reply may take this share of the timeout, for replies differ in length.
_QUICK = 0.5
# After a timeout, so many quick replies in a row must follow before one more is asked at once.
_CALM = 30
# So many slow replies show that the bot is slow, rather than that it has just been loaded.
_SLOW = 3
# So many timeouts alone, and no reply ever, show that it will not be in time. A bot that is still
# loading its model has until then: three timeouts and the pauses after two of them.
_HOPELESS = 3


class Closed(Exception):
    """Nobody waits for replies any more."""


class Pace:
    """One bot's turns: who may ask now, and who waits; the oldest conversation goes first."""

    def __init__(
        self,
        most: int,
        timeout: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        per_minute: float | None = None,
    ) -> None:
        """`most` replies at once, and `per_minute` requests, which are spread evenly."""
        self.most = most
        self.timeout = timeout
        # A bot without a timeout loses nothing when it is slow.
        self.limit = most if timeout is None else 1
        self.timeouts = 0
        self.alone_timeouts = 0
        """Timeouts while no other reply was under way."""
        self._replied_once = False
        self._clock = clock
        self._slow = 0
        self._calm = 0
        self._needed_calm = 0
        self._under_way = 0
        self._shrunk = -1.0
        self._gap = 60 / per_minute if per_minute else 0.0
        self._rest_until = 0.0
        self._tickets = 0
        self._waiting: list[tuple[int, int]] = []
        self._closed = False
        self._changed = Condition()

    @contextmanager
    def turn(self, priority: int = 0) -> Iterator[None]:
        """Wait for a turn, and learn from how it goes; a lower priority goes first."""
        others = self._take(priority)
        start = self._clock()
        try:
            yield
        except ChatbotTimeout:
            self._timed_out(start, others)
            raise
        except ChatbotBusy:
            self._shrink(start)
            raise
        else:
            self._replied(self._clock() - start, others)
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    def rest(self, seconds: float) -> None:
        """Ask nothing for so long: a bot that is busy is so for every conversation."""
        with self._changed:
            self._rest_until = max(self._rest_until, self._clock() + seconds)

    def close(self) -> None:
        """End all waiting."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def advice(self, bot: str) -> str | None:
        """The option that would help, in a sentence for the user; None while all goes well."""
        if self.timeout is None:
            return None
        if self.alone_timeouts:
            return (
                f"{bot} does not reply within {self.timeout:g} seconds even when asked one "
                f"question at a time: give it longer, such as timeout={2 * self.timeout:g}."
            )
        if self.timeouts:
            return (
                f"{bot} does not reply within {self.timeout:g} seconds when asked several "
                f"questions at once, so it is now asked {self.limit} at a time: set "
                f"--concurrency {self.limit}, or a longer timeout= for the bot."
            )
        if self._slow >= _SLOW and self.limit < self.most:
            return (
                f"{bot} takes long to reply, so it is asked {self.limit} at a time to stay "
                f"within its timeout={self.timeout:g} seconds: if it can make several replies "
                "at once, set a longer timeout."
            )
        return None

    def why_hopeless(self, bot: str) -> str | None:
        """The advice, where the bot has never replied and timed out alone too often to go on."""
        hopeless = self.alone_timeouts >= _HOPELESS and not self._replied_once
        return self.advice(bot) if hopeless else None

    def _take(self, priority: int) -> int:
        with self._changed:
            self._tickets += 1
            ticket = (priority, self._tickets)
            heapq.heappush(self._waiting, ticket)
            try:
                while True:
                    if self._closed:
                        raise Closed
                    rest = self._rest_until - self._clock()
                    if rest <= 0 and self._under_way < self.limit and self._waiting[0] == ticket:
                        break
                    self._changed.wait(rest if rest > 0 else None)
            finally:
                self._waiting.remove(ticket)
                heapq.heapify(self._waiting)
                self._changed.notify_all()
            self._under_way += 1
            self._rest_until = max(self._rest_until, self._clock() + self._gap)
            return self._under_way

    def _replied(self, seconds: float, others: int) -> None:
        self._replied_once = True
        if self.timeout is None:
            return
        with self._changed:
            # How many would come in time if the bot made one reply after the other.
            in_time = _QUICK * self.timeout * others / max(seconds, 1e-3)
            if in_time < self.limit + 1:
                self._slow += 1
                self._calm = 0
                return
            self._slow = 0
            self._calm += 1
            # A limit that nobody has reached has not been tried.
            if others >= self.limit < self.most and self._calm >= self._needed_calm:
                once_late = self._needed_calm > 0
                self.limit = self.limit + 1 if once_late else min(self.most, int(in_time))
                self._calm = 0

    def _timed_out(self, start: float, others: int) -> None:
        with self._changed:
            self.timeouts += 1
            self.alone_timeouts += others == 1 and self._under_way == 1
        self._shrink(start)

    def _shrink(self, start: float) -> None:
        with self._changed:
            # Requests that were sent together fail together, and for one reason.
            if start > self._shrunk:
                self.limit = max(1, self.limit // 2)
                self._shrunk = self._clock()
                self._needed_calm = _CALM
                self._calm = 0
