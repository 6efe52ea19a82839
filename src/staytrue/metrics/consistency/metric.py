"""Consistency, the headline score: every claim of a response checked on its own.

The response is split into claims. Each is read in its conversation, its numbers and dates are
compared as values, and the entailment model judges it against the lines of the knowledge that
matter, one by one and joined. Questions as in Q² (Honovich et al., 2021) tell whether the
knowledge gives the same answers. History and persona can contradict a claim, but what they do
not mention is no fault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Protocol

from staytrue.core.protocols import Claim, ClaimSplitter, Entailment, Pair, Query, Span
from staytrue.core.records import Example, Verdict
from staytrue.core.text import is_foreign, one_line, words
from staytrue.metrics.consistency.citations import cited
from staytrue.metrics.consistency.context import in_context, is_short_answer
from staytrue.metrics.consistency.grading import Asked, Grader, Weights, overall
from staytrue.metrics.consistency.result import ConsistencyResult, evidence, reason
from staytrue.metrics.consistency.retrieval import Index
from staytrue.metrics.consistency.sources import SOURCES, Source, lines_of
from staytrue.metrics.q2.steps import (
    Candidate,
    Comparing,
    Judged,
    Q2Backend,
    judge_questions,
    keep_valid,
    raise_questions,
)

# A reader that is less sure than this does not show that a refusal was needless.
_SURE = 0.5
_COMPARING = Comparing(nli=True, soft=True, answers=True, sentence=False, pronouns_match=True)
# Questions are the slowest part: this many spans of a claim are asked about, names and numbers
# first, and this many questions are tried for each.
_SPANS, _TRIED = 3, 3


class ConsistencyBackend(ClaimSplitter, Q2Backend, Protocol):
    """What the headline score asks of a backend."""


@dataclass(frozen=True)
class Consistency:
    """Score whether every claim of a response holds against what the row has."""

    uses: ClassVar[tuple[str, ...]] = ("claims", "infer", "spans", "ask", "answer")
    labels: ClassVar[tuple[str, ...]] = ("consistent", "inconsistent", "needless refusal")

    backend: ConsistencyBackend
    against: Literal["all", "knowledge", "history", "persona"] = "all"
    """Which source a response is judged against; "all" takes every one that the row has."""
    generic: Literal["abstain", "score"] = "abstain"
    """What to do with responses that claim nothing; benchmarks that count them need "score"."""
    questions: Literal["on", "off"] = "on"
    """Whether questions are asked as in Q²; "off" is quicker."""
    language: Literal["english", "any"] = "english"
    """"any" also scores rows that do not look like English."""

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """One verdict per example; abstains where there is no claim or nothing to judge against."""
        found = self.results(examples)
        return [
            Verdict(example.id, "consistency", None, *result)
            if isinstance(result, tuple)
            else _verdict(example, result)
            for example, result in zip(examples, found, strict=True)
        ]

    def results(
        self, examples: Sequence[Example]
    ) -> list[ConsistencyResult | tuple[str | None, str]]:
        """The claims of each example with their verdicts, or the label and reason of no score."""
        split = self.backend.claims([example.response for example in examples])
        asked: list[Asked] = []
        found: list[ConsistencyResult | tuple[str | None, str]] = []
        judged: dict[int, list[Asked]] = {}
        for number, (example, claims) in enumerate(zip(examples, split, strict=True)):
            lines = lines_of(example, SOURCES if self.against == "all" else (self.against,))
            why = self._unfit(example, claims, bool(lines))
            found.append((None, why))
            if why:
                continue
            indexes = {
                source: Index.of(found_lines)
                for source in SOURCES
                if (found_lines := [line for line in lines if line.source == source])
            }
            judged[number] = [
                _asked(number, claim, example, indexes) for claim in self._counted(claims)
            ]
            asked += judged[number]
        silent = [n for n, own in judged.items() if not own]
        for number in silent:
            found[number] = self._refusal(examples[number], split[number])
            del judged[number]
        answers = self._answers(asked)
        grader = Grader(self._infer(asked), Weights())
        for number, own in judged.items():
            example = examples[number]
            results = [grader.grade(one, answers.get(id(one), ()), example) for one in own]
            kept = {id(one.claim) for one in own}
            silent_claims = tuple(claim for claim in split[number] if id(claim) not in kept)
            found[number] = ConsistencyResult(tuple(results), silent_claims, overall(results))
        return found

    def _unfit(self, example: Example, claims: Sequence[Claim], sources: bool) -> str:
        """Why the example cannot be judged at all; empty where it can."""
        if not words(example.response):
            return "The response has no words."
        if not sources:
            wanted = "knowledge, history or persona" if self.against == "all" else self.against
            return f"The row has no {wanted} to judge the response against."
        if self.language == "english" and is_foreign(f"{example.knowledge} {example.response}"):
            return "The text does not look like English: use language=any to score it all the same."
        return "" if claims else "The response has no words."

    def _counted(self, claims: Sequence[Claim]) -> list[Claim]:
        # Benchmarks that count every response count opinions, too.
        kinds = ("statement", "opinion") if self.generic == "score" else ("statement",)
        statements = [claim for claim in claims if claim.kind in kinds]
        # "Yes! It is the largest animal." claims what its second sentence says.
        told = [claim for claim in statements if not is_short_answer(claim.text)]
        statements = told or statements
        if statements or self.generic == "abstain":
            return statements
        start, end = claims[0].start, claims[-1].end
        return [Claim(" ".join(claim.text for claim in claims), start, end)]

    def _refusal(self, example: Example, claims: Sequence[Claim]) -> tuple[str | None, str]:
        """Label and reason of a response without a claim."""
        if not any(claim.kind == "refusal" for claim in claims) or "?" not in example.message:
            return None, "The response claims nothing that could be right or wrong."
        (answer,) = self.backend.answer([Query(example.message, example.knowledge)])
        if answer.text is None or answer.confidence < _SURE:
            return None, "The response refuses, and the knowledge does not clearly answer."
        known = one_line(answer.text, 60)
        return "needless refusal", f"The response refuses, although the knowledge says “{known}”."

    def _infer(self, asked: Sequence[Asked]) -> dict[Pair, Entailment]:
        pairs = list(dict.fromkeys(pair for one in asked for pair in one.pairs))
        return dict(zip(pairs, self.backend.infer(pairs), strict=True)) if pairs else {}

    def _answers(self, asked: Sequence[Asked]) -> dict[int, tuple[Judged, ...]]:
        """The questions about each claim, answered from the lines that matter for it."""
        asked = [one for one in asked if one.evidence("knowledge")]
        if self.questions == "off" or not asked:
            return {}
        texts = [one.statement for one in asked]
        candidates = _first_spans(raise_questions(self.backend, texts, _TRIED))
        kept, _ = keep_valid(self.backend, texts, candidates, single=True, personal=False)
        passages = [one.evidence("knowledge") for one in asked]
        found: dict[int, tuple[Judged, ...]] = {}
        for judged in judge_questions(self.backend, kept, texts, passages, _COMPARING):
            key = id(asked[judged.candidate.owner])
            found[key] = (*found.get(key, ()), judged)
        return found


def _first_spans(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The questions about the first spans of each claim; entities come before other nouns."""
    spans: dict[int, list[Span]] = {}
    for candidate in candidates:
        own = spans.setdefault(candidate.owner, [])
        if candidate.span not in own:
            own.append(candidate.span)
    return [c for c in candidates if c.span in spans[c.owner][:_SPANS]]


def _asked(number: int, claim: Claim, example: Example, indexes: Mapping[Source, Index]) -> Asked:
    """The claim without its citations, read in its conversation, with the lines that matter."""
    plain, cites = cited(claim.text, example.passages)
    statement = in_context(replace(claim, text=plain), example)
    return Asked.of(number, claim, statement, indexes, cites)


def _verdict(example: Example, result: ConsistencyResult) -> Verdict:
    label = "consistent" if result.score > 0.5 else "inconsistent"
    return Verdict(
        example.id, "consistency", result.score, label, reason(result), evidence(example, result)
    )
