"""What the headline score looks at: the parts' scores, and how far the words are backed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from staytrue.metrics import backing
from staytrue.protocols import Span
from staytrue.records import Example, Verdict

# What a part that abstains counts for.
_OPEN = 0.5
_BACKING = ("overlap", "copied words", "copied pairs", "personal")
FEATURES = (*_BACKING, "span support", "nli", "begin", "q2")
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


def mean_support(parts: Parts) -> float | None:
    """How far the knowledge has the words of the spans; None without spans."""
    supports = [one.support for one in parts.spans]
    return sum(supports) / len(supports) if supports else None


def features(example: Example, parts: Parts) -> list[float]:
    """The numbers that the weights apply to, in the order of `FEATURES`."""
    worded = dict(
        zip(
            backing.FEATURES,
            backing.backing(example.response, example.knowledge, example.message),
            strict=True,
        )
    )
    support = mean_support(parts)
    return [
        *(worded[name] for name in _BACKING),
        _OPEN if support is None else support,
        _OPEN if parts.nli.score is None else parts.nli.score,
        _grounded(parts.begin),
        _OPEN if parts.q2.score is None else parts.q2.score,
    ]


def _grounded(begin: Verdict) -> float:
    """P(entailment) among the classes that claim something: small talk is no inconsistency."""
    found = next((e.details for e in begin.evidence if e.kind == "probabilities"), {})
    chances = found.get("probabilities", {})
    claims = [chances.get(label, 0.0) for label in ("entailment", "contradiction", "hallucination")]
    return claims[0] / sum(claims) if sum(claims) else _OPEN
