"""Calibrated bots, the embedded default: chatbots whose true contradiction rate is known.

    persona:seed=1,slip=0.2           one person, who contradicts itself in 20 % of its answers
    persona:seed=1,slip=0.2,style=lower      the same, without capitals

The seed makes the person: about forty kinds of facts with a value each.
"""

from __future__ import annotations

from staytrue.chatbots import options
from staytrue.chatbots.persona.bot import PersonaChatbot, Said
from staytrue.core.errors import UsageError

__all__ = ["PersonaChatbot", "Said", "load"]


def load(rest: str) -> PersonaChatbot:
    """Make the bot from `seed=1,slip=0.2,style=plain|lower`."""
    main, given = options.split(rest)
    if main:
        raise UsageError(f"'{main}' is not an option: write persona:seed=1,slip=0.2.")
    chosen = options.read("persona", given, {"seed": 0, "slip": 0.0, "style": "plain"})
    if not 0 <= chosen["slip"] <= 1:
        raise UsageError("Option slip of chatbot persona takes a number from 0 to 1.")
    if chosen["style"] not in ("plain", "lower"):
        raise UsageError("Option style of chatbot persona takes plain or lower.")
    return PersonaChatbot(**chosen)
