"""Small edits that turn a true sentence into a false one, without a parser."""

from __future__ import annotations

import random
import re
from collections import defaultdict

from staytrue.silver.methods.antonyms import antonyms

_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b")
_NUMBER = re.compile(
    r"\b(?:\d[\d,.]*\d|\d|two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand|million)\b"
)
_NAMES = re.compile(r"\b[A-Z][\w'’-]+(?: (?:of |the |de |and )?[A-Z][\w'’-]+)+")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z'’-]{2,}\b")
_KINDS = {"year": _YEAR, "names": _NAMES, "name": _NAME, "number": _NUMBER}

_NUMBER_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve")
_GAPS = (-40, -21, -12, -7, -3, -1, 1, 2, 5, 9, 16, 30)
# Their opposites make no question that anyone would ask ("what was it misused for?").
_NEEDED = frozenset({"used", "all"})
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|has been|have been|can|could|will|would|did|does|do|has|have|had)\b"
)


def mentions(text: str) -> list[tuple[str, int, int]]:
    """Years, names and numbers in a text: kind, start and end, without overlaps."""
    spans: list[tuple[str, int, int]] = []
    for kind, pattern in _KINDS.items():
        for match in pattern.finditer(text):
            if all(match.end() <= start or match.start() >= end for _, start, end in spans):
                spans.append((kind, match.start(), match.end()))
    return sorted(spans, key=lambda mention: mention[1])


class MentionPool:
    """Mentions seen in a collection, by topic and kind, to draw replacements from."""

    def __init__(self) -> None:
        self._by_topic: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._by_kind: dict[str, list[str]] = defaultdict(list)

    def add(self, topic: str, text: str) -> None:
        for kind, start, end in mentions(text):
            self._by_topic[topic, kind].append(text[start:end])
            self._by_kind[kind].append(text[start:end])

    def other(self, topic: str, kind: str, old: str, avoid: str, rng: random.Random) -> str | None:
        """Another mention of the same kind that does not occur in `avoid`."""
        if kind == "year":
            return _outside([str(int(old) + gap) for gap in _GAPS], avoid, rng)
        if kind == "number" and old in _NUMBER_WORDS:
            return _outside([word for word in _NUMBER_WORDS if word != old], avoid, rng)
        candidates = self._by_topic[topic, kind] if rng.random() < 0.6 else []
        for source in (candidates, self._by_kind[kind]):
            for _ in range(6):
                if source:
                    new = rng.choice(source)
                    if new.lower() not in avoid.lower():
                        return new
        return None


def _outside(candidates: list[str], avoid: str, rng: random.Random) -> str | None:
    free = [word for word in candidates if word not in avoid.lower()]
    return rng.choice(free) if free else None


def swapped(text: str, topic: str, pool: MentionPool, avoid: str, rng: random.Random) -> str | None:
    """The text with one year, name or number replaced by another; None when it has none."""
    spans = mentions(text)
    if not spans:
        return None
    kind, start, end = rng.choice(spans)
    new = pool.other(topic, kind, text[start:end], avoid, rng)
    return None if new is None else text[:start] + new + text[end:]


def negated(text: str, rng: random.Random) -> str | None:
    """The text with its first auxiliary negated; None when it has none or is negative already."""
    if re.search(r"\b(not|never|no)\b|n't", text):
        return None
    match = _AUXILIARY.search(text)
    if match is None:
        return None
    word = match.group()
    if word in ("has", "have", "had"):
        return None
    if word.endswith("been"):
        have = word.split()[0]
        return f"{text[: match.start()]}{have} never been{text[match.end() :]}"
    negative = rng.choice(["not", "not", "never"])
    return f"{text[: match.end()]} {negative}{text[match.end() :]}"


def turned(question: str, rng: random.Random) -> str | None:
    """The question with an adjective become its opposite, or else with its auxiliary negated."""
    table = antonyms()
    places = [
        match
        for match in re.finditer(r"\b[a-z]+\b", question)
        if match.group() in table and match.group() not in _NEEDED
    ]
    if places:
        chosen = rng.choice(places)
        return question[: chosen.start()] + table[chosen.group()] + question[chosen.end() :]
    match = re.search(r"\b(is|are|was|were|could|would|did|does|do|has|had)\b", question)
    if match is None or re.search(r"\bnot\b|n't", question):
        return None
    return f"{question[: match.end()]}n't{question[match.end() :]}"


class Words:
    """Words of the questions of a topic by part of speech, to draw replacements from."""

    TAGS = frozenset({"NN", "NNS", "VB", "VBD", "VBN", "VBG", "JJ", "RB"})
    # Their places decide what is asked, not what it is asked about.
    FIXED = frozenset("many much often long year name kind type not first used called did".split())

    def __init__(self) -> None:
        self._by_topic: dict[tuple[str, str], list[str]] = defaultdict(list)

    def add(self, topic: str, tagged: list[tuple[str, str, int]]) -> None:
        for word, tag, _ in tagged:
            self._by_topic[topic, tag].append(word)

    def reworded(
        self,
        question: str,
        tagged: list[tuple[str, str, int]],
        topic: str,
        avoid: str,
        rng: random.Random,
    ) -> str | None:
        """The question with one word become another of its kind that `avoid` does not hold."""
        if not tagged:
            return None
        word, tag, start = rng.choice(tagged)
        text = avoid.lower()
        for _ in range(6):
            new = rng.choice(self._by_topic[topic, tag])
            if new.lower()[:5] not in text and new.lower()[:4] != word.lower()[:4]:
                return question[:start] + new + question[start + len(word) :]
        return None
