"""What a chatbot or backend has used so far: requests, tokens and money, across threads."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

from staytrue.core.records import JsonDict


@dataclass
class Usage:
    """Counts requests and tokens; prices are per million tokens."""

    price_in: float = 0.0
    price_out: float = 0.0
    requests: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    def add(
        self, *, requests: int = 0, retries: int = 0, tokens_in: int = 0, tokens_out: int = 0
    ) -> None:
        """Count one more answer, or one more try."""
        with self._lock:
            self.requests += requests
            self.retries += retries
            self.tokens_in += tokens_in
            self.tokens_out += tokens_out

    def since(self, earlier: Usage) -> Usage:
        """What was used after `earlier`, a copy of this, was made."""
        return Usage(
            self.price_in, self.price_out, self.requests - earlier.requests,
            self.retries - earlier.retries, self.tokens_in - earlier.tokens_in,
            self.tokens_out - earlier.tokens_out,
        )  # fmt: skip

    @property
    def cost(self) -> float:
        """Money spent, in the currency that the prices are given in."""
        return (self.tokens_in * self.price_in + self.tokens_out * self.price_out) / 1e6

    def to_json(self) -> JsonDict:
        """The counts and the cost, for a run's manifest."""
        return {
            "requests": self.requests,
            "retries": self.retries,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "cost": self.cost,
        }


def usage_of(bot: object) -> Usage | None:
    """What the bot has counted, or None where it counts nothing."""
    return getattr(bot, "usage", None)
