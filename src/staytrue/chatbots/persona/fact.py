"""One kind of fact that a calibrated bot can hold about itself, and the ways to talk about it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

VALUE = "{v}"


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines() if line.strip())


@dataclass(frozen=True)
class Fact:
    """A fact with one value at a time: whoever gives two different values contradicts itself."""

    kind: str
    values: tuple[str, ...]
    states: tuple[str, ...]
    """Statements; `{v}` stands for the value."""
    asks: tuple[str, ...]
    """Questions whose answer is the value."""
    answers: tuple[str, ...] = ()
    """Answers that only make sense after a question."""
    denials: tuple[str, ...] = ()
    """Sentences that no value agrees with."""
    indirect: dict[str, str] = field(default_factory=dict)
    """Value → a sentence that gives it in other words."""

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        # Longest first, so that "Chicago Bulls" is not read as "Chicago".
        values = sorted(self.values, key=len, reverse=True)
        one = "(?P<v>" + "|".join(map(re.escape, values)) + r")(?!\w)"
        shapes = sorted({*self.states, *self.answers}, key=len, reverse=True)
        return tuple(
            re.compile(
                r"(?<!\w)" + re.escape(shape.rstrip(".")).replace(re.escape(VALUE), one), re.I
            )
            for shape in shapes
            if shape.rstrip(".") != VALUE
        )

    def read(self, text: str) -> str | None:
        """The value that a text states in one of the known ways, the last one if several."""
        last: tuple[int, str] | None = None
        for pattern in self._patterns if self._any_name.search(text) else ():
            for match in pattern.finditer(text):
                if last is None or match.start() > last[0]:
                    last = (match.start(), self._known(match["v"]))
        for value, sentence in self.indirect.items():
            start = text.lower().rfind(sentence.rstrip(".").lower())
            if start >= 0 and (last is None or start > last[0]):
                last = (start, value)
        return last[1] if last else None

    def mentioned(self, text: str) -> str | None:
        """The first value whose words occur in the text."""
        if not self._any_name.search(text):
            return None
        for value, pattern in self._names:
            if pattern.search(text):
                return value
        return None

    @cached_property
    def _any_name(self) -> re.Pattern[str]:
        # Most texts name no value of most facts: one quick look spares the many patterns.
        bare = (re.sub(r"^(?:a|an|the) ", "", value) for value in self.values)
        return re.compile("|".join(map(re.escape, bare)), re.I)

    @cached_property
    def _names(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        bare = {value: re.sub(r"^(?:a|an|the) ", "", value) for value in self.values}
        return tuple(
            (value, re.compile(rf"(?<!\w){re.escape(bare[value])}(?!\w)", re.I))
            for value in sorted(self.values, key=len, reverse=True)
        )

    def _known(self, value: str) -> str:
        return next(known for known in self.values if known.lower() == value.lower())


def fact(
    kind: str,
    values: str,
    *,
    states: str,
    asks: str,
    answers: str = "",
    denials: str = "",
    indirect: str = "",
) -> Fact:
    """A fact from lines of text; values are separated by `|`, indirect lines are `value: text`."""
    pairs = (line.split(": ", 1) for line in _lines(indirect))
    return Fact(
        kind,
        tuple(value.strip() for value in values.split("|")),
        _lines(states),
        _lines(asks),
        _lines(answers),
        _lines(denials),
        {pair[0]: pair[1] for pair in pairs},
    )
