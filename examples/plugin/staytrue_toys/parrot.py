"""A bot that repeats what it hears: parrot:POLITE,times=2 puts POLITE before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from staytrue import Turn


@dataclass(frozen=True)
class Parrot:
    """Says the last turn again."""

    opening: str
    times: int

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        """The last turn, after the opening."""
        last = history[-1].text if history else "hello"
        return " ".join([self.opening, *[last] * self.times]).strip()


def load(opening: str = "", *, times: int = 1) -> Parrot:
    """Make the bot; what follows `parrot:` is the opening, `times=…` an option."""
    return Parrot(opening, times)
