"""Calibrated bots, the embedded default: chatbots whose true contradiction rate is known.

    persona:seed=1,slip=0.2           one person, who contradicts itself in 20 % of its answers
    persona:seed=1,slip=0.2,style=lower      the same, without capitals

The seed makes the person: about forty kinds of facts with a value each.
"""

from __future__ import annotations

from typing import Literal

from staytrue.chatbots.persona.bot import CalibratedReply, PersonaChatbot
from staytrue.core.errors import UsageError

__all__ = ["CalibratedReply", "PersonaChatbot", "load"]


def load(
    *, seed: int = 0, slip: float = 0.0, style: Literal["plain", "lower"] = "plain"
) -> PersonaChatbot:
    """Make the bot from `seed=1,slip=0.2,style=plain|lower`."""
    if not 0 <= slip <= 1:
        raise UsageError("Option slip of chatbot persona takes a number from 0 to 1.")
    return PersonaChatbot(seed, slip, style)
