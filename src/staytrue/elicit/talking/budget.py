"""Limits on the requests and the money of one sitting.

A conversation that a limit cuts off is lost, so one is only begun when what is left covers it and
those under way. What a conversation needs is known beforehand: replies exactly at most, money from
the bots' prices and the length of their replies.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

from staytrue.core.errors import UsageError
from staytrue.core.protocols import Chatbot
from staytrue.core.usage import Usage, usage_of

_LONGEST_REPLY = 80
# What chat templates put around each turn.
_TOKENS_AROUND_A_TURN = 5


class BudgetSpent(Exception):
    """The limit on requests or cost is reached; the conversation under way is given up."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How hard bots are asked, and what one sitting may spend; None is no limit."""

    concurrency: int = 8
    """Replies of one bot under way at once, at most: a bot that is slow is asked less."""
    retries: int | None = None
    """Repeats of a failed reply; None leaves it to each bot's own option."""
    max_requests: int | None = None
    max_cost: float | None = None
    """Money, by the prices that the bots state."""
    per_minute: float | None = None
    """Requests that one bot gets per minute, at most."""


@dataclass(frozen=True, slots=True)
class Need:
    """What one conversation needs at most."""

    replies: tuple[tuple[str, int], ...]
    """How many replies of which bot."""
    turns: int = 1
    """Turns that a reply reads, on average."""

    @property
    def requests(self) -> int:
        """All replies together."""
        return sum(count for _, count in self.replies)


@dataclass
class Budget:
    """Counts replies and cost over all threads, and says whether one more conversation fits."""

    bots: Mapping[str, Chatbot]
    limits: Limits = Limits()
    what: str = "dialogue"
    """What a conversation is called."""
    _replies: Counter[str] = field(default_factory=Counter)
    _tries: Counter[str] = field(default_factory=Counter)
    _open: dict[Hashable, Need] = field(default_factory=dict)
    """Conversations under way."""
    _made: Counter[Hashable] = field(default_factory=Counter)
    """Replies that each of these has had."""
    _begun: int = 0
    _ended: int = 0
    _before: dict[str, Usage] = field(default_factory=dict)
    """What the bots had counted before this sitting."""
    _closed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        for name, bot in self.bots.items():
            usage = usage_of(bot)
            if usage is not None:
                self._before[name] = replace(usage)

    def begin(self, key: Hashable, need: Need) -> bool:
        """Count this conversation among those under way, unless it might have to be cut off."""
        with self._lock:
            if not self._covers(need):
                return False
            self._open[key] = need
            self._begun += 1
            return True

    def end(self, key: Hashable) -> None:
        """What this conversation did not use is free for others."""
        with self._lock:
            self._open.pop(key, None)
            self._made.pop(key, None)
            self._ended += 1

    def spend(self, key: Hashable, bot: str, *, again: bool = False) -> None:
        """Count one reply, or one more try at it, or refuse it."""
        with self._lock:
            if self._closed or self._spent():
                raise BudgetSpent
            self._tries[bot] += 1
            if not again:
                self._replies[bot] += 1
                self._made[key] += 1

    def close(self) -> None:
        """Refuse every further reply, so that threads of a run that ended early end too."""
        with self._lock:
            self._closed = True

    def usage(self) -> dict[str, Usage]:
        """What each bot that counts has used in this sitting."""
        counted = ((name, usage_of(bot)) for name, bot in self.bots.items())
        return {name: usage.since(self._before[name]) for name, usage in counted if usage}

    def check(self, need: Need) -> None:
        """Refuse a limit that does not even cover one conversation."""
        if self.limits.max_requests is not None and self.limits.max_requests < need.requests:
            raise UsageError(
                f"--max-requests {self.limits.max_requests} does not cover one {self.what}: "
                f"give at least {need.requests}."
            )

    def why_stopped(self, need: Need) -> str:
        """The sentence for the user about the limit that no conversation fits into any more."""
        with self._lock:
            requests, cost = self._requests(), self._cost()
            scarce = self.limits.max_requests is not None and (
                requests + need.requests * self._tries_per_reply() > self.limits.max_requests
            )
        limit = "--max-requests" if scarce else "--max-cost"
        money = f" and a cost of {cost:.2f}" if self.limits.max_cost is not None else ""
        return (
            f"Stopped after {requests:,} requests{money}: what is left of {limit} does not "
            f"cover another {self.what}."
        )

    def _covers(self, need: Need) -> bool:
        if self.limits.max_requests is not None:
            promised = need.requests + sum(
                other.requests - self._made[key] for key, other in self._open.items()
            )
            if self._requests() + promised * self._tries_per_reply() > self.limits.max_requests:
                return False
        # The first one is begun whatever it may cost: replies tend to be shorter than allowed.
        if self.limits.max_cost is not None and self._begun:
            # Those under way have paid a part already, but their last replies cost most.
            promised_cost = sum(self._cost_of(other) for other in self._open.values())
            return self._cost() + promised_cost + self._cost_of(need) <= self.limits.max_cost
        return True

    def _spent(self) -> bool:
        if self.limits.max_requests is not None and self._requests() >= self.limits.max_requests:
            return True
        return self.limits.max_cost is not None and self._cost() >= self.limits.max_cost

    def _requests(self) -> int:
        """Tries so far, or requests sent where a bot counts more of them."""
        used = {name: usage.requests for name, usage in self.usage().items()}
        return sum(max(self._tries[name], used.get(name, 0)) for name in self.bots)

    def _tries_per_reply(self) -> float:
        """Requests that one reply has taken so far: more than 1 where replies are repeated."""
        return self._requests() / (self._replies.total() or 1) or 1.0

    def _cost(self) -> float:
        """What the bots that state prices have cost in this sitting."""
        return float(sum(usage.cost for usage in self.usage().values()))

    def _cost_of(self, need: Need) -> float:
        """What a conversation will cost at most, by prices and length of replies."""
        length = max(self._length(name) for name, _ in need.replies)
        read = need.turns * (length + _TOKENS_AROUND_A_TURN)
        return sum(count * self._price(name, read, length) for name, count in need.replies)

    def _length(self, name: str) -> float:
        """Tokens of one reply: the most that the bot allows until one has shown more."""
        usage, replies = self.usage().get(name), self._replies[name]
        if self._ended and replies and usage is not None and usage.tokens_out:
            return float(usage.tokens_out / replies)
        return float(getattr(self.bots[name], "max_tokens", _LONGEST_REPLY))

    def _price(self, name: str, tokens_in: float, tokens_out: float) -> float:
        usage = usage_of(self.bots[name])
        if usage is None:
            return 0.0
        return float(tokens_in * usage.price_in + tokens_out * usage.price_out) / 1e6
