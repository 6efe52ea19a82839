"""How often a chatbot that failed is asked again, and after what pause: the one place that decides.

A bot that repeats its own requests states its policy in an attribute `retry` and gives a copy of
itself that does not repeat them by `once()`. Who talks to many bots asks the copy and applies the
policy, so that retries never multiply.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from staytrue.core.errors import ChatbotBusy, ChatbotError, ChatbotRefusal, StaytrueError


@dataclass(frozen=True, slots=True)
class Retry:
    """Repeats after pauses that double."""

    retries: int = 2
    """Repeats of one request; 0 never repeats."""
    backoff: float = 1.0
    """Seconds before the first repeat."""
    longest: float = 60.0
    """The longest pause that is not asked for by the bot, in seconds."""

    def pause(self, repeats: int, error: Exception) -> float | None:
        """Seconds before the next try after `repeats` repeats; None when it is time to give up."""
        if is_hopeless(error) or isinstance(error, ChatbotRefusal) or repeats >= self.retries:
            return None
        grown: float = min(self.longest, self.backoff * 2**repeats)
        return max(error.wait, grown) if isinstance(error, ChatbotBusy) else grown


def is_hopeless(error: Exception) -> bool:
    """Whether every request would fail alike: a missing extra, a damaged model, a wrong key."""
    return isinstance(error, StaytrueError) and not isinstance(error, ChatbotError)


def policy_of(bot: object, retries: int | None = None) -> Retry:
    """The bot's own policy, or ours for a bot without one; `retries` overrides its number."""
    stated = getattr(bot, "retry", None)
    policy = stated if isinstance(stated, Retry) else Retry()
    return policy if retries is None else replace(policy, retries=retries)


def once(bot: Any) -> Any:
    """The bot without repeats of its own."""
    return bot.once() if hasattr(bot, "once") else bot
