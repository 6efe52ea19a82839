"""A bot that agrees with everything: the floor that any honest bot must clear.

agreeable:
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from staytrue.core.records import Turn
from staytrue.english.statements import short_form
from staytrue.english.wording import is_question
from staytrue.english.words import sentences


@dataclass(frozen=True)
class AgreeableChatbot:
    """Says yes to every question, whatever its persona."""

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        """A yes that fits the last question."""
        asked = [s for s in sentences(history[-1].text) if is_question(s)] if history else []
        form = short_form(asked[-1]) if asked else ""
        return f"yes, {form}." if form else "yes, of course!"


def load() -> AgreeableChatbot:
    """Make the bot; it has no options."""
    return AgreeableChatbot()
