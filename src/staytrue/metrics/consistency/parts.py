"""What the headline score looks at: the parts' scores, and how far the words are backed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from staytrue.core.protocols import Span
from staytrue.core.records import Example, Verdict
from staytrue.core.text import words
from staytrue.metrics import backing

# What a part that abstains counts for.
_OPEN = 0.5
# Up to here a contradiction is no more than a doubt.
_DOUBTFUL = 0.3
FEATURES = (
    "overlap", "in order", "span support", "different words", "after a reaction",
    "nli", "contradicted", "begin", "small talk", "q2",
)  # fmt: skip
"""The names of the features, in the order of the weights."""


@dataclass(frozen=True, slots=True)
class SpanSupport:
    """An informative span of the response, and the share of its words that the knowledge has."""

    span: Span
    support: float


@dataclass(frozen=True, slots=True)
class Wording:
    """How a response is worded; no model is asked."""

    in_order: float
    """How far response and knowledge share their words in the same order (ROUGE-L)."""
    distinct: float
    """Share of different words among those of the response."""
    reacts: bool
    """Whether the response opens as a reaction to the speaker."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything known about one example before it is weighed."""

    overlap: Verdict
    nli: Verdict
    begin: Verdict
    q2: Verdict
    spans: tuple[SpanSupport, ...]
    wording: Wording


def wording(example: Example) -> Wording:
    """How the response of an example is worded."""
    order = backing.in_order(words(example.response), words(example.knowledge))
    return Wording(order, backing.distinct(example.response), backing.reacts(example.response))


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


def contradiction(parts: Parts) -> float:
    """P(contradiction) by NLI, as far as BEGIN's classifier does not call the response entailed."""
    grounded, _ = _kinds(parts.begin)
    return float(_probabilities(parts.nli).get("contradiction", 0.0)) * (1 - (grounded or 0.0))


def features(parts: Parts) -> list[float]:
    """The numbers that the weights apply to, in the order of `FEATURES`."""
    grounded, small_talk = _kinds(parts.begin)
    shared, how = parts.overlap.score, parts.wording
    # Judges find a copied sentence less faithful when it comes as the speaker's own reaction ("i
    # know that …"); a reaction that tells nothing is small talk, which has its own feature.
    told = (shared or 0.0) if how.reacts else 0.0
    worded = (shared, how.in_order, mean_support(parts), how.distinct, told)
    # P(entailment) alone: what is neutral is not supported.
    entailed = _probabilities(parts.nli).get("entailment")
    contradicted = max(0.0, contradiction(parts) - _DOUBTFUL)
    judged = (entailed, contradicted, grounded, small_talk, parts.q2.score)
    return [_OPEN if value is None else value for value in (*worded, *judged)]


def _kinds(begin: Verdict) -> tuple[float | None, float | None]:
    """P(entailment) among the classes that claim something, and P of those that claim nothing."""
    chances = _probabilities(begin).get("probabilities", {})
    if not chances:
        return None, None
    claims = sum(chances[label] for label in ("entailment", "contradiction", "hallucination"))
    return chances["entailment"] / claims if claims else None, 1 - claims


def _probabilities(verdict: Verdict) -> Mapping[str, Any]:
    """The details of the evidence that holds probabilities; empty when the metric abstained."""
    return next((e.details for e in verdict.evidence if e.kind == "probabilities"), {})
