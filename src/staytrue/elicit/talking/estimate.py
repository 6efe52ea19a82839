"""What talking to bots will take, reckoned from one reply of each."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from staytrue.core.errors import ChatbotError, StaytrueError, one_line
from staytrue.core.protocols import Chatbot
from staytrue.core.records import Turn
from staytrue.core.usage import usage_of
from staytrue.elicit.talking.engine import at_once

TOKENS_PER_REPLY = 20


@dataclass(frozen=True, slots=True)
class Range:
    """What is expected, and the most that it can be."""

    expected: float
    most: float

    def times(self, factor: float) -> Range:
        """Both figures times a factor."""
        return Range(self.expected * factor, self.most * factor)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run needs."""

    conversations: int
    requests: Range
    tokens: Range
    """Tokens that the bots read and write."""
    seconds: Range
    """Seconds of waiting for the bots."""
    cost: Range
    """Money, by the prices that the bots state."""


def estimate(
    bots: Mapping[str, Chatbot],
    conversations: int,
    requests: Range,
    seconds: float,
    tokens_in: float,
) -> Estimate:
    """The whole from its parts; `seconds` and `tokens_in` are of one reply, on average."""
    usages = [usage for bot in bots.values() if (usage := usage_of(bot)) is not None]
    price = sum(u.price_in * tokens_in + u.price_out * TOKENS_PER_REPLY for u in usages)
    return Estimate(
        conversations,
        requests,
        requests.times(tokens_in + TOKENS_PER_REPLY),
        requests.times(seconds),
        requests.times(price / 1e6 / len(bots)),
    )


def seconds_per_reply(
    bots: Mapping[str, Chatbot],
    history: Sequence[Turn],
    *,
    persona: Sequence[str] = (),
    seed: int = 0,
    concurrency: int = 8,
) -> float:
    """Seconds of waiting per reply, on average over the bots, when several are made at once."""
    waits = (
        trial_seconds(name, bot, history, persona, seed) / at_once(bot, concurrency)
        for name, bot in bots.items()
    )
    return sum(waits) / len(bots)


def trial_seconds(
    name: str, bot: Chatbot, history: Sequence[Turn], persona: Sequence[str] = (), seed: int = 0
) -> float:
    """How long one reply takes; the bot is asked twice, as it may load the first time."""
    try:
        bot.reply(history, persona=persona, seed=seed)
        start = time.monotonic()
        bot.reply(history, persona=persona, seed=seed)
    except StaytrueError:
        raise
    except Exception as error:  # any code may stand behind a bot
        what = one_line(str(error), 200) or type(error).__name__
        raise ChatbotError(
            f"{name} fails on '{history[-1].text}' ({what}): fix the bot and try again."
        ) from None
    return time.monotonic() - start
