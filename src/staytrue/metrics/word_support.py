"""How far the words of a response are backed by its knowledge; pure, no model."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from staytrue.core.text import words
from staytrue.english.numbers import to_digits
from staytrue.english.stop_words import content_words
from staytrue.english.words import lemma, reply_openers, token_f1

Item = TypeVar("Item", bound=Hashable)

_PERSONAL = re.compile(r"\b(?:i|im|ive|me|my|mine|we|our|us)\b", re.IGNORECASE)
# First words of a reply to the speaker, before anything is told: "yes", "well", "i know that".
_REACTIONS = reply_openers() | frozenset(
    "no ah true really cool nice great that i im hi hello hey".split()
)
_LONG = 40

FEATURES = (
    "overlap", "copied words", "copied pairs", "copied in order", "new numbers", "echoed words",
    "personal", "question", "words",
)  # fmt: skip
"""The names of what `features` gives, in its order."""


def features(response: str, knowledge: str, message: str = "") -> list[float]:
    """Nine numbers in [0, 1] on how the response is worded against knowledge and message."""
    response_words, knowledge_words = words(response), words(knowledge)
    content = content_words(response)
    roots = [lemma(word) for word in content]
    return [
        token_f1(content, content_words(knowledge)),
        share(roots, lemmas(knowledge)),
        share(list(pairwise(response_words)), set(pairwise(knowledge_words))),
        in_order(response_words, knowledge_words),
        float(bool(_numbers(response) - _numbers(knowledge))),
        share(roots, lemmas(message)),
        float(is_personal(response)),
        float("?" in response),
        min(len(response_words), _LONG) / _LONG,
    ]


def in_order(left: Sequence[Item], right: Sequence[Item]) -> float:
    """F1 of the longest common subsequence, which is ROUGE-L; 0 when one side is empty.

    The subsequence is counted with one integer for all positions (Hyyrö, 2004), because texts of
    a hundred thousand words are allowed.
    """
    if not left or not right:
        return 0.0
    positions: defaultdict[Item, int] = defaultdict(int)
    for position, item in enumerate(left):
        positions[item] |= 1 << position
    full = (1 << len(left)) - 1
    free = full
    for item in right:
        taken = free & positions.get(item, 0)
        free = ((free + taken) | (free - taken)) & full
    common = len(left) - free.bit_count()
    return 2 * common / (len(left) + len(right))


@lru_cache(maxsize=64)  # each sentence of a long response asks for those of the same knowledge
def _numbers(text: str) -> frozenset[str]:
    """The numbers of a text in one form: "9,000" and "nine thousand" are 9000."""
    return frozenset(w for w in words(to_digits(text)) if any(c.isdigit() for c in w))


def is_personal(text: str) -> bool:
    """Whether the text speaks in the first person."""
    return _PERSONAL.search(text) is not None


def reacts(text: str) -> bool:
    """Whether the text opens as a reaction to the speaker."""
    return next(iter(words(text)), "") in _REACTIONS


def distinct(text: str) -> float:
    """Share of different words: small models repeat themselves ("from Africa to Africa")."""
    tokens = words(text)
    return len(set(tokens)) / len(tokens) if tokens else 1.0


def lemmas(text: str) -> set[str]:
    """Dictionary forms of the content words of a text."""
    return {lemma(word) for word in content_words(text)}


def share(items: Sequence[Item], known: set[Item]) -> float:
    """Share of the items that are known; half when there are none."""
    return sum(item in known for item in items) / len(items) if items else 0.5
