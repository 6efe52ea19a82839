"""What the headline score finds out about a response, claim by claim, and how it is told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from staytrue.core.errors import one_line
from staytrue.core.protocols import Claim, Entailment
from staytrue.core.records import CITATION_PARTS, Evidence, EvidenceKind, Example
from staytrue.metrics.consistency.amounts import Difference
from staytrue.metrics.consistency.marks import Stretch
from staytrue.metrics.consistency.sources import Line, Source, passages_of

ClaimLabel = Literal["supported", "contradicted", "unsupported", "new"]
_MOST_NAMED = 3
_FULL_STOP = re.compile(r"(?<![.A-Z])\s*\.\s*$")  # not that of "etc..." or "the U.S."


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for and against a claim about knowledge."""

    entailed: float
    """Log odds of entailment by the line that supports the claim best."""
    contradicted: float
    """Log odds of contradiction by the nearest lines, joined."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that a claim cites, and whether it supports the claim by itself."""

    passage: int
    supports: bool


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """One claim with its verdict and what it rests on."""

    claim: Claim
    statement: str
    """The claim as it was judged: read in its conversation, values written as in the evidence."""
    label: ClaimLabel
    """"new" is what neither history nor persona mentions, which is no fault."""
    score: float
    source: Source
    """The source that decided."""
    line: Line | None
    """The line of the source that says most about the claim."""
    entailment: Entailment | None
    differences: tuple[Difference, ...] = ()
    wrong: tuple[Stretch, ...] = ()
    """Offsets in the response of the words that are wrong; empty for a claim that holds."""
    signs: Signs | None = None
    citations: tuple[Citation, ...] = ()

    @property
    def holds(self) -> bool:
        return self.label in ("supported", "new")


@dataclass(frozen=True, slots=True)
class ConsistencyResult:
    """All claims of one response."""

    claims: tuple[ClaimResult, ...]
    silent: tuple[Claim, ...]
    """What claims nothing: greetings, questions, refusals, opinions."""
    score: float
    """The headline: above 0.5 exactly when every claim holds."""

    @property
    def mean(self) -> float:
        return sum(claim.score for claim in self.claims) / len(self.claims)

    @property
    def weakest(self) -> ClaimResult:
        return min(self.claims, key=lambda claim: claim.score)

    @property
    def citation_precision(self) -> float | None:
        """Share of the citations whose passage supports its claim; None without citations."""
        cites = [citation.supports for claim in self.claims for citation in claim.citations]
        return sum(cites) / len(cites) if cites else None

    @property
    def citation_recall(self) -> float | None:
        """Share of the claims that a passage they cite supports; None without citations."""
        if self.citation_precision is None:
            return None
        backed = [any(cite.supports for cite in claim.citations) for claim in self.claims]
        return sum(backed) / len(backed)


@dataclass(frozen=True, slots=True)
class Abstained:
    """Why a response has no score."""

    reason: str
    label: str | None = None
    """"needless refusal", if the response is one."""


def reason(result: ConsistencyResult) -> str:
    """One sentence for people; it names words exactly when some are wrong."""
    bad = [claim for claim in result.claims if not claim.holds]
    if not bad:
        return _all_hold(result.claims)
    worst = min(bad, key=lambda claim: claim.score)
    more = len(bad) - 1
    rest = f" ({more} more {'claim does' if more == 1 else 'claims do'} not hold)" if more else ""
    return _one_fails(worst) + rest + "."


def _all_hold(claims: Sequence[ClaimResult]) -> str:
    supported = [claim for claim in claims if claim.label == "supported"]
    if not supported:
        return "Nothing in history or persona contradicts the response."
    named = " and the ".join(dict.fromkeys(claim.source for claim in supported))
    verb = "support" if " and " in named else "supports"
    what = {1: "the response", 2: "both claims"}.get(len(claims), f"all {len(claims)} claims")
    if len(supported) < len(claims):
        what = f"{len(supported)} of {len(claims)} claims, and nothing contradicts the others"
    return f"The {named} {verb} {what}."


def _one_fails(claim: ClaimResult) -> str:
    if claim.differences:
        one = claim.differences[0]
        claimed, stated = one_line(one.claimed, 40), one_line(one.stated, 40)
        return f"The response says “{claimed}”, the {claim.source} “{stated}”"
    words = _quoted(claim.claim.text)
    if claim.label == "contradicted" and claim.line is not None:
        return f"The {claim.source} contradicts {words}: {_quoted(claim.line.text)}"
    return f"Nothing in the {claim.source} supports {words}"


def _quoted(sentence: str) -> str:
    """A sentence within ours, which has a full stop of its own."""
    return f"“{one_line(_FULL_STOP.sub('', sentence), 90)}”"


def evidence(example: Example, result: ConsistencyResult) -> tuple[Evidence, ...]:
    """Claims, wrong words and the lines that decided."""
    parts = [
        Evidence(EvidenceKind.PART, "mean of the claims", score=result.mean),
        Evidence(EvidenceKind.PART, "weakest claim", score=result.weakest.score),
    ]
    if result.citation_precision is not None:
        shares = (result.citation_precision, result.citation_recall)
        parts += [
            Evidence(EvidenceKind.PART, name, score=share)
            for name, share in zip(CITATION_PARTS, shares, strict=True)
        ]
    for claim in result.claims:
        for start, end in claim.wrong:
            parts.append(
                Evidence(EvidenceKind.SPAN, example.response[start:end], "response", start, end,
                         score=min(claim.score, 0.49), label=claim.label)
            )  # fmt: skip
        parts.append(_claim(example, claim))
        if claim.line is not None:
            parts.append(_line(claim.line, claim))
    parts += [Evidence(EvidenceKind.SILENT, c.text, label=c.kind) for c in result.silent]
    return tuple(parts)


def _claim(example: Example, claim: ClaimResult) -> Evidence:
    details: dict[str, Any] = {"source": claim.source}
    if claim.statement.strip() != claim.claim.text.strip():
        details["read_as"] = claim.statement
    if claim.entailment is not None:
        three = claim.entailment
        details |= {
            "entailment": round(three.entailment, 4),
            "neutral": round(three.neutral, 4),
            "contradiction": round(three.contradiction, 4),
        }
    if claim.line is not None:
        details["evidence"] = claim.line.text
        if claim.source == "knowledge" and example.passages:
            passage = passages_of(example)[claim.line.number]
            details["passage"] = passage.id or passage.title or claim.line.number + 1
    if claim.citations:
        count = len(passages_of(example))
        details["cites"] = [_cites(cite, count) for cite in claim.citations]
    if claim.differences:
        details["values"] = [f"{one.claimed} ≠ {one.stated}" for one in claim.differences]
    # Marks come from the wrong words alone: a claim that fails has right words, too.
    return Evidence(EvidenceKind.CLAIM, claim.claim.text, score=claim.score, label=claim.label,
                    details=details)  # fmt: skip


def _cites(cite: Citation, passages: int) -> str:
    if cite.passage >= passages:
        return f"there is no passage {cite.passage + 1}"
    return f"passage {cite.passage + 1} {'supports' if cite.supports else 'does not support'} it"


def _line(line: Line, claim: ClaimResult) -> Evidence:
    if line.source == "knowledge":
        return Evidence(EvidenceKind.SENTENCE, line.text, "knowledge", line.start, line.end,
                        score=claim.score)  # fmt: skip
    number = {"history": "turn", "persona": "line"}[line.source]
    return Evidence(
        EvidenceKind.SENTENCE, line.text, details={"field": line.source, number: line.number + 1}
    )
