"""How far the words of a response are backed by its knowledge; pure, no model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from staytrue.text import token_f1, words

Item = TypeVar("Item")

_PERSONAL = re.compile(r"\b(?:i|im|ive|me|my|mine|we|our|us)\b", re.IGNORECASE)
_ENDING = re.compile(r"(?:ing|ies|ed|es|s|ly)$")
_SMALLEST_STEM = 3
_LONG = 40

FEATURES = (
    "overlap", "copied words", "copied pairs", "new numbers", "echoed words", "personal",
    "question", "words",
)  # fmt: skip
"""The names of what `backing` gives, in its order."""


def backing(response: str, knowledge: str, message: str = "") -> list[float]:
    """Eight numbers in [0, 1] on how the response is worded against knowledge and message."""
    said, known = words(response), words(knowledge)
    content = [word for word in said if word not in _stop_words()]
    roots = [stem(word) for word in content]
    numbers = [word for word in said if any(c.isdigit() for c in word)]
    return [
        token_f1(content, [word for word in known if word not in _stop_words()]),
        share(roots, stems(knowledge)),
        share(list(pairwise(said)), set(pairwise(known))),
        float(any(number not in known for number in numbers)),
        share(roots, stems(message)),
        float(is_personal(response)),
        float("?" in response),
        min(len(said), _LONG) / _LONG,
    ]


def is_personal(text: str) -> bool:
    """Whether the text speaks in the first person."""
    return _PERSONAL.search(text) is not None


def stem(word: str) -> str:
    """The word without a common ending, so that "skis" and "skiing" meet."""
    cut = _ENDING.sub("", word)
    return cut if len(cut) >= _SMALLEST_STEM else word


def stems(text: str) -> set[str]:
    """Stems of the content words of a text."""
    return {stem(word) for word in words(text) if word not in _stop_words()}


def share(items: Sequence[Item], known: set[Item]) -> float:
    """Share of the items that are known; half when there are none."""
    return sum(item in known for item in items) / len(items) if items else 0.5


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    from spacy.lang.en.stop_words import STOP_WORDS

    return frozenset(STOP_WORDS)
