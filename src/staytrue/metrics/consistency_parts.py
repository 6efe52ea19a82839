"""What the headline score looks at: the parts' scores, and how far the words are backed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from staytrue.protocols import Span
from staytrue.records import Example, Verdict
from staytrue.text import words

Item = TypeVar("Item")

_PERSONAL = re.compile(r"\b(?:i|im|me|my|mine|we|our|us)\b", re.IGNORECASE)
_ENDING = re.compile(r"(?:ing|ies|ed|es|s|ly)$")
_SMALLEST_STEM = 3

FEATURES = (
    "overlap", "copied words", "copied pairs", "span support", "weakest span", "new numbers",
    "entailment", "contradiction", "begin entailment", "begin contradiction",
    "begin hallucination", "begin off-topic", "begin generic", "q2", "q2 answered", "q2 silent",
    "personal", "question", "words", "q2 x entailment",
)  # fmt: skip
"""The names of the features, in the order of the weights."""


@dataclass(frozen=True, slots=True)
class SpanSupport:
    """An informative span of the response, and the share of its words that the knowledge has."""

    span: Span
    support: float


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything known about one example before it is weighed."""

    overlap: Verdict
    nli: Verdict
    begin: Verdict
    q2: Verdict
    spans: tuple[SpanSupport, ...]


def span_support(example: Example, spans: Sequence[Span]) -> tuple[SpanSupport, ...]:
    """How far the knowledge backs each span, by the stems of its content words."""
    known = stems(example.knowledge)
    found = []
    for span in spans:
        own = stems(span.text)
        if own and not _PERSONAL.fullmatch(span.text.strip()):
            found.append(SpanSupport(span, len(own & known) / len(own)))
    return tuple(found)


def features(example: Example, parts: Parts) -> list[float]:
    """The numbers that the weights apply to, in the order of `FEATURES`."""
    said, known = words(example.response), words(example.knowledge)
    content = [stem(w) for w in said if w not in _stop_words()]
    backed = stems(example.knowledge)
    supports = [s.support for s in parts.spans]
    numbers = [w for w in said if any(c.isdigit() for c in w)]
    nli = _details(parts.nli)
    begin = _details(parts.begin).get("probabilities", {})
    questions = [e for e in parts.q2.evidence if e.kind == "question"]
    answered = [e for e in questions if e.details.get("answer_from_knowledge") is not None]
    q2 = 0.5 if parts.q2.score is None else parts.q2.score
    entailment = float(nli.get("entailment", 1 / 3))
    values = (
        parts.overlap.score or 0.0,
        _share(content, backed),
        _share(list(pairwise(said)), set(pairwise(known))),
        sum(supports) / len(supports) if supports else 0.5,
        min(supports, default=0.5),
        float(any(n not in known for n in numbers)),
        entailment,
        float(nli.get("contradiction", 1 / 3)),
        *(float(begin.get(label, 0.2)) for label in _BEGIN),
        q2,
        len(answered) / len(questions) if questions else 0.5,
        float(not questions),
        float(_PERSONAL.search(example.response) is not None),
        float("?" in example.response),
        min(len(said), 40) / 40,
        q2 * entailment,
    )
    return [float(value) for value in values]


_BEGIN = ("entailment", "contradiction", "hallucination", "off-topic", "generic")


def stem(word: str) -> str:
    """The word without a common ending, so that "skis" and "skiing" meet."""
    cut = _ENDING.sub("", word)
    return cut if len(cut) >= _SMALLEST_STEM else word


def stems(text: str) -> set[str]:
    """Stems of the content words of a text."""
    return {stem(word) for word in words(text) if word not in _stop_words()}


def _share(items: Sequence[Item], known: set[Item]) -> float:
    return sum(item in known for item in items) / len(items) if items else 0.5


def _details(verdict: Verdict) -> Mapping[str, float]:
    return next((e.details for e in verdict.evidence if e.kind == "probabilities"), {})


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    from spacy.lang.en.stop_words import STOP_WORDS

    return frozenset(STOP_WORDS)
