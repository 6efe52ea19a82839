"""Consistency: the headline score, which weighs Q², NLI, BEGIN, overlap and span support.

The score is a logistic regression (`training.weighing`). Its weights are fitted to silver data but
held near shares that were chosen on the dev sets, because silver rows are too unlike real
responses to set them alone. The spans that the knowledge does not back are marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from staytrue.core.protocols import GroundednessModel
from staytrue.core.records import Evidence, Example, Verdict
from staytrue.core.text import one_line
from staytrue.metrics.begin import Begin
from staytrue.metrics.consistency.parts import (
    FEATURES,
    Parts,
    SpanSupport,
    contradiction,
    features,
    mean_support,
    span_support,
    wording,
)
from staytrue.metrics.nli import EndToEndNli
from staytrue.metrics.overlap import Overlap
from staytrue.metrics.q2.metric import Q2
from staytrue.metrics.q2.steps import Q2Backend
from staytrue.metrics.weighing import Weights, load_weights, shipped_name, sigmoid

_FILE = "consistency.json"
# A span is marked when the knowledge has less than half of its words.
_BACKED = 0.5
_MOST_NAMED = 3
# From here on a contradiction is clear: the score then stays below 0.5, however many words the
# response shares with the knowledge ("Rome is the capital of France").
_CLEAR = 0.35
_AT_MOST = 0.4


class ConsistencyBackend(Q2Backend, GroundednessModel, Protocol):
    """What the headline score asks of a backend."""


@dataclass(frozen=True)
class Consistency:
    """Score how probably the knowledge supports the response, all evidence weighed."""

    uses: ClassVar[tuple[str, ...]] = ("spans", "ask", "answer", "infer", "classify")

    backend: ConsistencyBackend
    weights: str = shipped_name(_FILE)
    """The weights in the package, or a JSON file of your own made by `training.weighing`."""
    generic: Literal["score", "abstain"] = "score"
    """What to do with responses that claim nothing, such as greetings and refusals."""

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """One verdict an example; abstains where response or knowledge has no words."""
        weights = load_weights(self.weights, _FILE, FEATURES)
        return [
            self._verdict(example, parts, weights)
            for example, parts in zip(examples, self.parts(examples), strict=True)
        ]

    def _verdict(self, example: Example, parts: Parts, weights: Weights) -> Verdict:
        if parts.begin.score is None:
            return Verdict(example.id, "consistency", None, reason=parts.begin.reason)
        if self.generic == "abstain" and parts.begin.label == "generic":
            reason = "The response claims nothing that the knowledge could support or deny."
            return Verdict(example.id, "consistency", None, reason=reason)
        return _weighed(example, parts, weights)

    def parts(self, examples: Sequence[Example]) -> list[Parts]:
        """What every part says, each of them asked once for the whole batch."""
        spans = self.backend.spans([example.response for example in examples])
        columns = (
            Overlap().judge(examples),
            EndToEndNli(self.backend).judge(examples),
            Begin(self.backend, prior="balanced").judge(examples),
            # NLI on whole sentences is a part of its own: here the answers count, and nothing else.
            Q2(self.backend, compare="answers").judge(examples),
            [span_support(e, own) for e, own in zip(examples, spans, strict=True)],
            [wording(example) for example in examples],
        )
        return [Parts(*row) for row in zip(*columns, strict=True)]


def _weighed(example: Example, parts: Parts, weights: Weights) -> Verdict:
    (logit,) = weights.logits(features(parts))
    score = sigmoid(logit)
    if contradiction(parts) > _CLEAR:
        score = min(score, _AT_MOST)
    label = "consistent" if score > 0.5 else "inconsistent"
    marked = offending(parts)
    evidence = (
        *(_marked(one) for one in marked),
        *_parts_shown(parts),
        *(e for e in parts.begin.evidence if e.kind == "sentence"),
        *(e for e in parts.q2.evidence if e.kind == "question"),
    )
    return Verdict(example.id, "consistency", score, label, _reason(parts, score, marked), evidence)


def offending(parts: Parts) -> list[SpanSupport]:
    """Spans that the knowledge does not back: by their words, or by its answer to a question.

    A span whose question the knowledge answers alike is backed, however it is worded. One whose
    question it answers otherwise is not, even if its words occur there.
    """
    asked = [e for e in parts.q2.evidence if e.kind == "question" and e.score is not None]
    agreed = {(e.start, e.end) for e in asked if (e.score or 0.0) > _BACKED}
    denied = {(e.start, e.end) for e in asked if e.label == "contradiction"} - agreed
    return [
        one
        for one in parts.spans
        if (one.span.start, one.span.end) in denied
        or (one.support < _BACKED and (one.span.start, one.span.end) not in agreed)
    ]


def _marked(one: SpanSupport) -> Evidence:
    return Evidence(
        "span", one.span.text, "response", one.span.start, one.span.end,
        score=one.support, label="unsupported",
    )  # fmt: skip


def _parts_shown(parts: Parts) -> list[Evidence]:
    named = (
        ("overlap", parts.overlap),
        ("nli", parts.nli),
        ("begin", parts.begin),
        ("q2", parts.q2),
    )
    shown = [
        Evidence("part", name, score=verdict.score, label=verdict.label) for name, verdict in named
    ]
    return [*shown, Evidence("part", "span support", score=mean_support(parts))]


def _reason(parts: Parts, score: float, marked: Sequence[SpanSupport]) -> str:
    names = ", ".join(f"“{one_line(one.span.text, 40)}”" for one in marked[:_MOST_NAMED])
    more = " and more" if len(marked) > _MOST_NAMED else ""
    if score > 0.5:
        but = f", all but {names}{more}" if marked else ""
        return f"The knowledge supports the response{but}."
    if marked:
        return f"The knowledge does not support {names}{more}."
    if contradiction(parts) > _CLEAR:
        return "The knowledge contradicts the response."
    if parts.begin.label == "entailment":  # the other parts outvote it: its reason would mislead
        return "The knowledge does not support all of the response."
    return parts.begin.reason
