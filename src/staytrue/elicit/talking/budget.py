"""Limits on the requests and the money of one sitting.

A conversation that a limit cuts off is lost, so one is only begun when what is left covers it and
those under way. What a conversation needs is known beforehand: replies exactly at most, money from
the bots' prices and the length of their replies.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace

from staytrue.core.usage import Usage, usage_of
from staytrue.core.errors import UsageError
from staytrue.core.protocols import Chatbot

_LONGEST_REPLY = 80
# What chat templates put around each turn.
_TOKENS_AROUND_A_TURN = 5


class BudgetSpent(Exception):
    """The limit on requests or cost is reached; the conversation under way is given up."""


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
    need: Callable[[Hashable], Need]
    """What each conversation needs; all need as many replies."""
    what: str = "dialogue"
    """What a conversation is called."""
    max_requests: int | None = None
    max_cost: float | None = None
    _replies: Counter[str] = field(default_factory=Counter)
    _tries: Counter[str] = field(default_factory=Counter)
    _open: dict[Hashable, int] = field(default_factory=dict)
    """Conversations under way, and the replies that each has had."""
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

    def begin(self, key: Hashable) -> bool:
        """Count this conversation among those under way, unless it might have to be cut off."""
        with self._lock:
            if not self._covers(key):
                return False
            self._open[key] = 0
            self._begun += 1
            return True

    def end(self, key: Hashable) -> None:
        """What this conversation did not use is free for others."""
        with self._lock:
            self._open.pop(key, None)
            self._ended += 1

    def spend(self, key: Hashable, bot: str, *, again: bool = False) -> None:
        """Count one reply, or one more try at it, or refuse it."""
        with self._lock:
            if self._closed or self._spent():
                raise BudgetSpent
            self._tries[bot] += 1
            if not again:
                self._replies[bot] += 1
                self._open[key] = self._open.get(key, 0) + 1

    def close(self) -> None:
        """Refuse every further reply, so that threads of a run that ended early end too."""
        with self._lock:
            self._closed = True

    def usage(self) -> dict[str, Usage]:
        """What each bot that counts has used in this sitting."""
        counted = ((name, usage_of(bot)) for name, bot in self.bots.items())
        return {name: usage.since(self._before[name]) for name, usage in counted if usage}

    def check(self, key: Hashable) -> None:
        """Refuse a limit that does not cover this one conversation."""
        most = self.need(key).requests
        if self.max_requests is not None and self.max_requests < most:
            raise UsageError(
                f"--max-requests {self.max_requests} does not cover one {self.what}: "
                f"give at least {most}."
            )

    def why_stopped(self, key: Hashable) -> str:
        """The sentence for the user about the limit that this conversation does not fit into."""
        with self._lock:
            requests, cost = self._requests(), self._cost()
            scarce = self.max_requests is not None and (
                requests + self.need(key).requests * self._tries_per_reply() > self.max_requests
            )
        limit = "--max-requests" if scarce else "--max-cost"
        money = f" and a cost of {cost:.2f}" if self.max_cost is not None else ""
        return (
            f"Stopped after {requests:,} requests{money}: what is left of {limit} does not "
            f"cover another {self.what}."
        )

    def _covers(self, key: Hashable) -> bool:
        if self.max_requests is not None:
            promised = self.need(key).requests + sum(
                self.need(other).requests - made for other, made in self._open.items()
            )
            if self._requests() + promised * self._tries_per_reply() > self.max_requests:
                return False
        # The first one is begun whatever it may cost: replies tend to be shorter than allowed.
        if self.max_cost is not None and self._begun:
            # Those under way have paid a part already, but their last replies cost most.
            promised_cost = sum(self._cost_of(other) for other in self._open)
            return self._cost() + promised_cost + self._cost_of(key) <= self.max_cost
        return True

    def _spent(self) -> bool:
        if self.max_requests is not None and self._requests() >= self.max_requests:
            return True
        return self.max_cost is not None and self._cost() >= self.max_cost

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

    def _cost_of(self, key: Hashable) -> float:
        """What a conversation will cost at most, by prices and length of replies."""
        need = self.need(key)
        said = max(self._length(name) for name, _ in need.replies)
        read = need.turns * (said + _TOKENS_AROUND_A_TURN)
        return sum(count * self._price(name, read, said) for name, count in need.replies)

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
