"""Which lines of a source matter for a claim: those that share its rare words.

A source is read once, whatever the number of claims, so that the cost is linear in its length.
Embeddings of the small encoder were tried for a third of the lines: agreement with people fell
(ROC-AUC 0.744 against 0.805 on 240 long rows for constants), as they bring lines of the same topic
that say nothing about the claim.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from staytrue.core.text import words
from staytrue.english.stop_words import content_words
from staytrue.english.values import Value, find_values
from staytrue.metrics.consistency.sources import Line, is_heading

# A line's length counts, so that long lines do not always win; this much is free.
_FREE_LENGTH = 5


@dataclass(frozen=True)
class Index:
    """The lines of one source, by their words."""

    lines: tuple[Line, ...]
    lengths: tuple[int, ...]
    places: dict[str, tuple[int, ...]]
    """Word → numbers of the lines that have it."""

    @classmethod
    def of(cls, lines: Sequence[Line]) -> Index:
        places: defaultdict[str, list[int]] = defaultdict(list)
        lengths = []
        for number, line in enumerate(lines):
            own = keywords(line.premise)
            lengths.append(len(own))
            for word in own:
                places[word].append(number)
        return cls(tuple(lines), tuple(lengths), {w: tuple(p) for w, p in places.items()})

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Every number, date and so on of the source, found when first asked for."""
        return tuple(value for line in self.lines for value in find_values(line.text))

    def nearest(self, text: str, most: int) -> list[Line]:
        """At most so many lines that share words with the text, best first.

        Where fewer share any, the first lines of the source follow.
        """
        weights: defaultdict[int, float] = defaultdict(float)
        for word in keywords(text):
            homes = self.places.get(word, ())
            for number in homes:
                weights[number] += math.log(1 + len(self.lines) / len(homes))
        ranked = sorted(
            range(len(self.lines)),
            key=lambda n: (-weights[n] / math.sqrt(_FREE_LENGTH + self.lengths[n]), n),
        )
        nearest = [self.lines[number] for number in ranked[:most]]
        if nearest and is_heading(nearest[0].text):
            nearest.sort(key=lambda line: is_heading(line.text))
        return nearest


def keywords(text: str) -> frozenset[str]:
    """The content words of a text, or all its words where it has no others."""
    return frozenset(content_words(text) or words(text))
