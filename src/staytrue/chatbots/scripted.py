"""A fake chatbot for tests and demonstrations: it says its lines in order.

scripted:Hi there.|I live in Denver.|Do you like dogs?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from staytrue.chatbots.messages import OWN
from staytrue.core.errors import ChatbotError, UsageError
from staytrue.core.records import Turn


@dataclass(frozen=True)
class ScriptedChatbot:
    """Says line n after n turns of its own, round and round; `answers` go by the last turn."""

    lines: Sequence[str]
    answers: Mapping[str, str] = field(default_factory=dict)
    fails_on: frozenset[str] = frozenset()
    """Last turns that make it fail."""
    received: list[tuple[Turn, ...]] = field(default_factory=list, compare=False)
    """Every history it was given, for tests to look at; replies never depend on it."""

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        """The answer to the last turn if there is one, else the next line."""
        self.received.append(tuple(history))
        last = history[-1].text if history else ""
        if last in self.fails_on:
            raise ChatbotError(f"The script fails on: {last}")
        if last in self.answers:
            return self.answers[last]
        own = sum(turn.speaker == OWN for turn in history)
        return self.lines[own % len(self.lines)]


def load(rest: str) -> ScriptedChatbot:
    """Make the bot from its lines, separated by `|`."""
    lines = [line.strip() for line in rest.split("|") if line.strip()]
    if not lines:
        raise UsageError("Write the lines it should say: scripted:FIRST|SECOND|….")
    return ScriptedChatbot(tuple(lines))
