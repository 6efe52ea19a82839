"""Limits on the requests and the money of one sitting of `staytrue interrogate`.

A dialogue that a limit cuts off is lost, so one is only begun when what is left covers it and
those under way. What a dialogue needs is known from its turns: replies exactly at most, money
from the bots' prices and the length of their replies.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from staytrue.core.errors import UsageError
from staytrue.core.usage import usage_of
from staytrue.elicit.aih.talks import Party, Plan, requests_of

Key = tuple[str, str, int]
"""First bot, second bot and number of a dialogue."""

_LONGEST_REPLY = 80
# What chat templates put around each turn.
_TOKENS_AROUND_A_TURN = 5


class BudgetSpent(Exception):
    """The limit on requests or cost is reached; the dialogue under way is given up."""


@dataclass
class Budget:
    """Counts replies and cost over all threads, and says whether one more dialogue fits."""

    parties: Mapping[str, Party]
    plan: Plan
    max_requests: int | None = None
    max_cost: float | None = None
    _replies: Counter[str] = field(default_factory=Counter)
    _open: dict[Key, int] = field(default_factory=dict)
    """Dialogues under way, and the replies that each has had."""
    _begun: int = 0
    _ended: int = 0
    _closed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if self.max_requests is not None and self.max_requests < self.most:
            raise UsageError(
                f"--max-requests {self.max_requests} does not cover one dialogue of "
                f"{self.plan.turns} turns: give at least {self.most}."
            )

    @property
    def most(self) -> int:
        """Replies that one dialogue needs at most: an inquiry after every turn."""
        return int(requests_of(1, self.plan, self.plan.turns))

    def begin(self, key: Key) -> bool:
        """Count this dialogue among those under way, unless it might have to be cut off."""
        with self._lock:
            if not self._covers(key):
                return False
            self._open[key] = 0
            self._begun += 1
            return True

    def end(self, key: Key) -> None:
        """What this dialogue did not use is free for others."""
        with self._lock:
            self._open.pop(key, None)
            self._ended += 1

    def spend(self, key: Key, bot: str) -> None:
        """Count one reply, or refuse it."""
        with self._lock:
            if self._closed or self._spent():
                raise BudgetSpent
            self._replies[bot] += 1
            self._open[key] = self._open.get(key, 0) + 1

    def close(self) -> None:
        """Refuse every further reply, so that threads of a run that ended early end too."""
        with self._lock:
            self._closed = True

    def why_stopped(self) -> str:
        """The sentence for the user about the limit that nothing more fits into."""
        with self._lock:
            requests, cost = self._requests(), self._cost()
            scarce = self.max_requests is not None and (
                requests + self.most * self._tries() > self.max_requests
            )
        limit = "--max-requests" if scarce else "--max-cost"
        money = f" and a cost of {cost:.2f}" if self.max_cost is not None else ""
        return (
            f"Stopped after {requests:,} requests{money}: what is left of {limit} does not "
            "cover another dialogue."
        )

    def _covers(self, key: Key) -> bool:
        if self.max_requests is not None:
            promised = self.most + sum(self.most - made for made in self._open.values())
            if self._requests() + promised * self._tries() > self.max_requests:
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
        """Replies asked for, or requests sent where a bot counts them: it may try again."""
        return sum(
            max(self._replies[name], getattr(usage_of(party.bot), "requests", 0))
            for name, party in self.parties.items()
        )

    def _tries(self) -> float:
        """Requests that one reply has taken so far: more than 1 where bots try again."""
        return self._requests() / (self._replies.total() or 1) or 1.0

    def _cost(self) -> float:
        """What the bots that state prices have cost so far."""
        usages = (usage_of(party.bot) for party in self.parties.values())
        return float(sum(usage.cost for usage in usages if usage is not None))

    def _cost_of(self, key: Key) -> float:
        """What a dialogue of these two will cost at most, by prices and length of replies."""
        first, second, _ = key
        turns = self.plan.turns
        said = max(self._length(first), self._length(second))
        # On average a reply reads half of the turns of both bots.
        read = turns * (said + _TOKENS_AROUND_A_TURN)
        return sum(
            replies * _price(self.parties[name], read, said)
            for name, replies in ((first, turns - 1), (second, 2 * turns))
        )

    def _length(self, bot: str) -> float:
        """Tokens of one reply: the most that the bot allows until a dialogue has shown more."""
        usage, replies = usage_of(self.parties[bot].bot), self._replies[bot]
        if self._ended and replies and usage is not None and usage.tokens_out:
            return float(usage.tokens_out / replies)
        return float(getattr(self.parties[bot].bot, "max_tokens", _LONGEST_REPLY))


def _price(party: Party, tokens_in: float, tokens_out: float) -> float:
    usage = usage_of(party.bot)
    if usage is None:
        return 0.0
    return float(tokens_in * usage.price_in + tokens_out * usage.price_out) / 1e6
