"""Judge: a large language model says in one request whether a response is true, and quotes why.

Quotes are looked up in the texts: those that are not there are left out, and the reason says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from staytrue.core.errors import one_line
from staytrue.core.protocols import Opinion, ResponseJudge
from staytrue.core.quotes import locate
from staytrue.core.records import Evidence, EvidenceKind, Example, Verdict

_CONSISTENT, _INCONSISTENT, _NOTHING = "consistent", "inconsistent", "nothing to check"
_REASONS = {
    _CONSISTENT: "The texts support the response.",
    _INCONSISTENT: "The texts do not support the response.",
}


@dataclass(frozen=True)
class Judge:
    """Score a response by the probability of "consistent" against "inconsistent"."""

    uses: ClassVar[tuple[str, ...]] = ("review",)
    labels: ClassVar[tuple[str, ...]] = (_CONSISTENT, _INCONSISTENT)

    backend: ResponseJudge

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """One verdict per example; abstains where there is nothing to judge, or by."""
        missing = [_missing(example) for example in examples]
        asked = [e for e, reason in zip(examples, missing, strict=True) if not reason]
        opinions = iter(self.backend.review(asked) if asked else [])
        return [
            Verdict(example.id, "judge", None, reason=reason)
            if reason
            else _verdict(example, next(opinions))
            for example, reason in zip(examples, missing, strict=True)
        ]


def _missing(example: Example) -> str:
    """Why there is nothing to ask, or an empty string."""
    if not example.response.strip():
        return "The response is empty."
    if example.knowledge.strip() or example.persona or example.history:
        return ""
    return "There is nothing to judge the response by: no knowledge, history or persona."


def _verdict(example: Example, opinion: Opinion) -> Verdict:
    wrong = [_quoted(example, quote, "response") for quote in opinion.wrong]
    sources = [_source(example, quote) for quote in opinion.sources]
    evidence = (
        *wrong,
        *sources,
        Evidence(
            EvidenceKind.PROBABILITIES,
            label=opinion.label,
            details={label: round(chance, 4) for label, chance in opinion.chances.items()},
        ),
    )
    lost = sum(one.kind is EvidenceKind.DROPPED for one in evidence)
    explanation = one_line(opinion.reason, 300)
    if opinion.label == _NOTHING:
        reason = explanation or "The response states nothing that could be checked."
        return Verdict(example.id, "judge", None, reason=reason, evidence=evidence)
    reason = explanation or _REASONS[opinion.label]
    if lost:
        many = "A quote is" if lost == 1 else f"{lost} quotes are"
        reason += f" ({many} not in the text and left out.)"
    yes, no = opinion.chances[_CONSISTENT], opinion.chances[_INCONSISTENT]
    score = yes / (yes + no)
    return Verdict(example.id, "judge", score, opinion.label, reason, evidence)


def _quoted(example: Example, quote: str, field: str) -> Evidence:
    stretch = locate(quote, getattr(example, field))
    if stretch is None:
        return _lost(quote, field)
    text = getattr(example, field)[slice(*stretch)]
    if field == "response":
        return Evidence(EvidenceKind.SPAN, text, field, *stretch, label="unsupported")
    return Evidence(EvidenceKind.SENTENCE, text, field, *stretch)


def _source(example: Example, quote: str) -> Evidence:
    """A quote of knowledge, persona or dialogue; of the last two the whole line is shown."""
    if locate(quote, example.knowledge):
        return _quoted(example, quote, "knowledge")
    lines = (
        *(("persona", "line", number, line) for number, line in enumerate(example.persona)),
        *(("history", "turn", number, turn.text) for number, turn in enumerate(example.history)),
    )
    for field, kind, number, text in lines:
        if stretch := locate(quote, text):
            start, end = stretch
            details = {kind: number, "start": start, "end": end}
            return Evidence(EvidenceKind.SENTENCE, text, field, details=details)
    return _lost(quote, "")


def _lost(quote: str, field: str) -> Evidence:
    why = "The model quotes words that are not in the text."
    return Evidence(
        EvidenceKind.DROPPED, quote, field, label="not in the text", details={"why": why}
    )
