"""Waits for slow bots without holding up anyone else."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from staytrue.core.errors import ChatbotError
from staytrue.web.faults import Busy, TooFast

_AT_ONCE = 8
_WAITING = 32


class Talkers:
    """A few threads for each bot; a person waits for one answer at a time.

    Used from the event loop alone, so that its counts need no lock.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._asked: Counter[str] = Counter()
        self._people: set[int] = set()

    async def ask(self, bot: str, person: int, work: Callable[[], str]) -> str:
        """What `work` gives, which asks the bot."""
        if person in self._people:
            raise TooFast("The bot is still answering your last message: wait for it.", 5)
        if self._asked[bot] >= _AT_ONCE + _WAITING:
            raise Busy("Many people are waiting for this bot: try again in a moment.", 30)
        pool = self._pools.setdefault(bot, ThreadPoolExecutor(_AT_ONCE, "talk"))
        loop = asyncio.get_running_loop()
        self._people.add(person)
        self._asked[bot] += 1
        answer = pool.submit(work)
        # Counted until the thread is free, which may be long after nobody waits any more.
        answer.add_done_callback(lambda _: loop.call_soon_threadsafe(self._free, bot))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(answer), self._seconds)
        except asyncio.TimeoutError:
            raise ChatbotError("The bot gave no answer: send your message again.") from None
        finally:
            self._people.discard(person)

    def _free(self, bot: str) -> None:
        self._asked[bot] -= 1

    def close(self) -> None:
        """Wait for nobody."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
