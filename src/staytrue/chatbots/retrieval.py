"""A bot that answers with what people said: the response to the most similar recorded message.

retrieval:FILE      rows {"message": "…", "response": "…"} (JSON lines, .gz too)

Similar is the cosine of the messages' words, rare words weighing more. The bot knows neither its
persona nor what was said before, so it is a floor for bots that do.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from staytrue.chatbots.transcript import recorded
from staytrue.core.errors import DataError
from staytrue.core.records import Turn
from staytrue.core.text import words


@dataclass(frozen=True, slots=True)
class IndexedWord:
    """One word of the recorded messages."""

    rarity: float
    """Its weight: the logarithm of how many messages there are for each one that has it."""
    places: Sequence[tuple[int, float]]
    """The messages that have it, each with the word's share in the message's unit vector."""


@dataclass(frozen=True)
class RetrievalChatbot:
    """Gives the response of the nearest message; of equally near ones, the first."""

    responses: Sequence[str] = field(repr=False)
    index: Mapping[str, IndexedWord] = field(repr=False)

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        """The nearest message's response; the first of all where no word is shared."""
        nearness: dict[int, float] = defaultdict(float)
        # In a fixed order: sums of floating-point numbers depend on it.
        for word in sorted(set(words(history[-1].text)) & set(self.index) if history else ()):
            entry = self.index[word]
            for index, share in entry.places:
                nearness[index] += entry.rarity * share
        nearest = max(nearness, key=lambda index: (nearness[index], -index), default=0)
        return self.responses[nearest]


def index_of(messages: Iterable[str]) -> dict[str, IndexedWord]:
    """Which messages have which words, and how much each word weighs there."""
    contents = [sorted(set(words(message))) for message in messages]
    counts = Counter(word for content in contents for word in content)
    # One is added, so that a word of every message still counts.
    rarity = {word: 1 + math.log(len(contents) / count) for word, count in counts.items()}
    places: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for index, content in enumerate(contents):
        length = math.hypot(*(rarity[word] for word in content))
        for word in content:
            places[word].append((index, rarity[word] / length))
    return {word: IndexedWord(rarity[word], shares) for word, shares in places.items()}


def load(file: str = "") -> RetrievalChatbot:
    """Make the bot from `FILE`."""
    rows = [(context[-1], response) for context, response in recorded(file, "retrieval") if context]
    if not rows:
        raise DataError(f"{file} has no message with a response.")
    return RetrievalChatbot([response for _, response in rows], index_of(m for m, _ in rows))
