"""What the headline score looks at: the parts' scores, and how far the words are backed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from staytrue.groundedness import LABELS
from staytrue.metrics import backing
from staytrue.protocols import Span
from staytrue.records import Example, Verdict

FEATURES = (
    *backing.FEATURES, "span support", "weakest span", "entailment", "contradiction",
    *(f"begin {label}" for label in LABELS), "q2", "q2 answered", "q2 silent", "q2 x entailment",
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
    known = backing.stems(example.knowledge)
    found = []
    for span in spans:
        own = backing.stems(span.text)
        if own:
            found.append(SpanSupport(span, len(own & known) / len(own)))
    return tuple(found)


def features(example: Example, parts: Parts) -> list[float]:
    """The numbers that the weights apply to, in the order of `FEATURES`."""
    supports = [one.support for one in parts.spans]
    nli = _details(parts.nli)
    begin = _details(parts.begin).get("probabilities", {})
    questions = [e for e in parts.q2.evidence if e.kind == "question"]
    answered = [e for e in questions if e.details.get("answer_from_knowledge") is not None]
    q2 = 0.5 if parts.q2.score is None else parts.q2.score
    entailment = float(nli.get("entailment", 1 / 3))
    return [
        *backing.backing(example.response, example.knowledge, example.message),
        sum(supports) / len(supports) if supports else 0.5,
        min(supports, default=0.5),
        entailment,
        float(nli.get("contradiction", 1 / 3)),
        *(float(begin.get(label, 1 / len(LABELS))) for label in LABELS),
        q2,
        len(answered) / len(questions) if questions else 0.5,
        float(not questions),
        q2 * entailment,
    ]


def _details(verdict: Verdict) -> Mapping[str, Any]:
    return next((e.details for e in verdict.evidence if e.kind == "probabilities"), {})
