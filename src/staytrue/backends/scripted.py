"""A backend without models: answers from a script, and by plain rules where it is silent.

It ships with the product so that metrics, plug-ins and runs can be tried and tested at once.
Each argument is a mapping from what is asked to the answer, or a function of what is asked.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from staytrue.backends.rules.claims import RuleClaims
from staytrue.core.protocols import (
    Answer,
    Claim,
    Entailment,
    Grounding,
    Opinion,
    Pair,
    Query,
    Span,
    Target,
)
from staytrue.core.records import Example
from staytrue.core.text import words
from staytrue.english.words import negations

if TYPE_CHECKING:
    import numpy as np

Asked = TypeVar("Asked")
Given = TypeVar("Given")
Script = Mapping[Asked, Given] | Callable[[Asked], Given] | None

_WIDTH = 16
_WORD = re.compile(r"\w{4,}|\d+")
_GAP = re.compile(r"\bwhat\b", re.IGNORECASE)
_NEGATIONS = negations() | {"t"}  # what is left of "don't"
_SURE, _UNSURE = 0.9, 0.05


class ScriptedBackend:
    """Answer from a script; everything it says is known beforehand."""

    name = "scripted"

    def __init__(
        self,
        *,
        spans: Script[str, Sequence[Span]] = None,
        questions: Script[Target, Sequence[str]] = None,
        answers: Script[Query, Answer] = None,
        entailments: Script[Pair, Entailment] = None,
        groundings: Script[Grounding, dict[str, float]] = None,
        opinions: Callable[[Example], Opinion] | None = None,
    ) -> None:
        self._spans = spans
        self._questions = questions
        self._answers = answers
        self._entailments = entailments
        self._groundings = groundings
        self._opinions = opinions or _weighed

    def models(self) -> dict[str, str]:
        """All its methods, one name."""
        methods = ("claims", "spans", "ask", "answer", "infer", "classify", "review", "encode")
        return dict.fromkeys(methods, "script@1")

    def claims(self, texts: Sequence[str]) -> list[list[Claim]]:
        """By rules, as the embedded backend splits them."""
        return RuleClaims().claims(texts)

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        """Words of four letters or more, and numbers."""
        return [list(_scripted(self._spans, text, _word_spans)) for text in texts]

    def ask(self, targets: Sequence[Target]) -> list[list[str]]:
        """The text with "what" in place of the span."""
        return [list(_scripted(self._questions, t, _blanked)) for t in targets]

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        """What stands where the question has "what", if the words around it are the same."""
        return [_scripted(self._answers, query, _filled) for query in queries]

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        """Entailed when every word is in the premise; contradicted when only a negation differs."""
        return [_scripted(self._entailments, pair, _compared) for pair in pairs]

    def classify(self, items: Sequence[Grounding]) -> list[dict[str, float]]:
        """Entailment by the share of words that are in the evidence."""
        return [_scripted(self._groundings, item, _sorted_out) for item in items]

    def review(self, examples: Sequence[Example]) -> list[Opinion]:
        """Consistent by the share of words that are in the knowledge; the others are wrong."""
        return [self._opinions(example) for example in examples]

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        """A fixed unit vector for each word."""
        import numpy as np

        rows = [[_vector(word) for word in words(text)] for text in texts]
        return [np.asarray(row, dtype=np.float32).reshape(-1, _WIDTH) for row in rows]


def _scripted(
    script: Script[Asked, Given], asked: Asked, otherwise: Callable[[Asked], Given]
) -> Given:
    if script is None:
        return otherwise(asked)
    if isinstance(script, Mapping):
        return script[asked] if asked in script else otherwise(asked)
    return script(asked)


def _word_spans(text: str) -> Sequence[Span]:
    return [Span(m.group(), m.start(), m.end(), "chunk") for m in _WORD.finditer(text)]


def _blanked(target: Target) -> Sequence[str]:
    span = target.span
    before, after = target.text[: span.start], target.text[span.end :].rstrip(" .!?")
    return [f"{before}what{after}?"]


def _filled(query: Query) -> Answer:
    match = _GAP.search(query.question)
    if match:
        before = query.question[: match.start()].strip()
        after = query.question[match.end() :].strip(" ?")
        pattern = rf"{re.escape(before)}\s*(?P<answer>\S+?)\W*{re.escape(after)}(?:\W|$)"
        filled = re.search(pattern, query.passage, re.IGNORECASE)
        if filled:
            return Answer(filled["answer"], *filled.span("answer"), confidence=_SURE)
    return Answer(None, confidence=_SURE)


def _compared(pair: Pair) -> Entailment:
    premise, hypothesis = set(words(pair.premise)), set(words(pair.hypothesis))
    if bool(premise & _NEGATIONS) != bool(hypothesis & _NEGATIONS):
        return Entailment(_UNSURE, _UNSURE, _SURE)
    if hypothesis <= premise:
        return Entailment(_SURE, _UNSURE, _UNSURE)
    return Entailment(_UNSURE, _SURE, _UNSURE)


def _sorted_out(item: Grounding) -> dict[str, float]:
    response, evidence = set(words(item.response)), set(words(item.evidence))
    supported = len(response & evidence) / len(response) if response else 0.0
    others = ("contradiction", "hallucination", "off-topic", "generic")
    return {"entailment": supported, **dict.fromkeys(others, (1 - supported) / len(others))}


def _weighed(example: Example) -> Opinion:
    spoken, known = words(example.response), set(words(example.knowledge))
    wrong = tuple(word for word in spoken if word not in known)
    consistent = 1 - len(wrong) / len(spoken) if spoken else 0.0
    chances = {"consistent": consistent, "inconsistent": 1 - consistent, "nothing to check": 0.0}
    return Opinion(chances, "Words were counted.", wrong)


def _vector(word: str) -> list[float]:
    digest = hashlib.sha256(word.encode()).digest()[:_WIDTH]
    raw = [byte - 127.5 for byte in digest]
    length = sum(x * x for x in raw) ** 0.5
    return [x / length for x in raw]
