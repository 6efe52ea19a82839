"""How fast and how much may be asked: requests per minute, requests in all, money in all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

from staytrue.core.errors import SpendingLimit
from staytrue.core.usage import Usage


def about_tokens(text: str) -> int:
    """About how many tokens a text has: one per four English letters, or per letter elsewhere."""
    foreign = sum(letter > "ɏ" for letter in text)
    return foreign + (len(text) - foreign + 3) // 4


@dataclass
class RequestPace:
    """Spreads requests evenly over time, whatever thread or metric sends them."""

    per_minute: float
    """0 for no limit."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _next: float = field(default=0.0, init=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def wait(self) -> None:
        """Return when the next request may be sent."""
        if not self.per_minute:
            return
        with self._lock:
            now = self.clock()
            turn = max(now, self._next)
            self._next = turn + 60 / self.per_minute
        if turn > now:
            self.sleep(turn - now)


@dataclass
class RequestBudget:
    """Refuses the request that could exceed a limit, counting those that are under way."""

    usage: Usage
    max_requests: int = 0
    max_cost: float = 0.0
    """0 for no limit, as above."""
    _open: float = field(default=0.0, init=False)
    _begun: int = field(default=0, init=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    @contextmanager
    def spend(self, tokens_in: int, tokens_out: int) -> Iterator[None]:
        """Hold the price of a request while it is under way."""
        price = (tokens_in * self.usage.price_in + tokens_out * self.usage.price_out) / 1e6
        with self._lock:
            self._check(price)
            self._open += price
            self._begun += 1
        try:
            yield
        finally:
            with self._lock:
                self._open -= price

    def _check(self, price: float) -> None:
        advice = "raise it and rerun the same command to continue"
        requests = max(self._begun, self.usage.requests)  # retries count, too
        if self.max_requests and requests >= self.max_requests:
            raise SpendingLimit(
                f"Stopped after {requests:,} requests, "
                f"the limit max_requests={self.max_requests}: {advice}."
            )
        if self.max_cost and self.usage.cost + self._open + price > self.max_cost:
            raise SpendingLimit(
                f"Stopped at a cost of {self.usage.cost:.4f}: the next request could exceed the "
                f"limit max_cost={self.max_cost:g}; {advice}."
            )
