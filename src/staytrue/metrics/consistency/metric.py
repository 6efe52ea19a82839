"""Consistency, the headline score: every claim of a response checked on its own.

The response is split into claims. Each is read in its conversation, its numbers and dates are
compared as values, and the entailment model judges it against the lines of the knowledge that
matter, the nearest alone and all of them joined. History and persona can contradict a claim, but
what they do not mention is no fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Protocol

from staytrue.core.errors import one_line
from staytrue.core.protocols import (
    Claim,
    ClaimSplitter,
    Entailment,
    EntailmentModel,
    Pair,
    Query,
    QuestionAnswerer,
)
from staytrue.core.records import Example, Verdict
from staytrue.core.text import words
from staytrue.english.language import is_foreign
from staytrue.english.parses import pipeline_name
from staytrue.english.roles import exchanges
from staytrue.metrics.consistency.citations import cited
from staytrue.metrics.consistency.context import in_context, is_short_answer, with_open_subject
from staytrue.metrics.consistency.grading import Asked, Grader, overall, weights_for
from staytrue.metrics.consistency.result import (
    Abstained,
    ClaimResult,
    ConsistencyResult,
    evidence,
    reason,
)
from staytrue.metrics.consistency.retrieval import Index
from staytrue.metrics.consistency.sources import SOURCES, Source, lines_of

# A reader that is less sure than this does not show that a refusal was needless.
_SURE = 0.5
_OF_SPEAKER = ("personal", "opinion")
# Not inside quotation marks, where somebody else speaks.
_SPEAKER = re.compile(
    r"(?<![\"“'‘\w])(?:I|i)(?:['’](?:m|ve|d|ll))? [a-z]+\b|\b[Mm]y [a-z]+ (?:is|are|was)\b"
)


class ConsistencyBackend(ClaimSplitter, EntailmentModel, QuestionAnswerer, Protocol):
    """What the headline score asks of a backend."""

    def models(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class Consistency:
    """Score whether every claim of a response holds against what the row has."""

    uses: ClassVar[tuple[str, ...]] = ("claims", "infer", "answer")
    labels: ClassVar[tuple[str, ...]] = ("consistent", "inconsistent", "needless refusal")

    backend: ConsistencyBackend
    against: Literal["all", "knowledge", "history", "persona"] = "all"
    """Which source a response is judged against; "all" takes every one that the row has."""
    generic: Literal["abstain", "score"] = "abstain"
    """What to do with responses that claim nothing; benchmarks that count them need "score"."""
    language: Literal["english", "any"] = "english"
    """"any" also scores rows that do not look like English."""

    def models(self) -> Mapping[str, str]:
        """What it parses with by itself, whatever the backend."""
        return {"english": pipeline_name()}

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """One verdict per example; abstains where there is no claim or nothing to judge against."""
        results = self.results(examples)
        return [_verdict(*one) for one in zip(examples, results, strict=True)]

    def results(self, examples: Sequence[Example]) -> list[ConsistencyResult | Abstained]:
        """The claims of each example with their verdicts, or why it has no score."""
        split = self.backend.claims([example.response for example in examples])
        outcomes: list[ConsistencyResult | Abstained] = []
        judged: dict[int, list[Asked]] = {}
        for number, (example, claims) in enumerate(zip(examples, split, strict=True)):
            lines = lines_of(example, SOURCES if self.against == "all" else (self.against,))
            why = self._unfit(example, claims, bool(lines))
            outcomes.append(Abstained(why))
            if why:
                continue
            indexes = {
                source: Index.of(own_lines)
                for source in SOURCES
                if (own_lines := [line for line in lines if line.source == source])
            }
            judged[number] = [
                *(_asked(claim, example, indexes) for claim in self._counted(claims, example)),
                *_about_speaker(claims, example, indexes),
            ]
        judged = _with_exchanges(judged)
        inferred = self._infer(pair for own in judged.values() for one in own for pair in one.pairs)
        grader = Grader(inferred, weights_for(self.backend.models()))
        for number, graded in self._graded(grader, judged, examples).items():
            example = examples[number]
            # Beside what can be checked, news that speakers tell of themselves says nothing.
            told = [r for r in graded if r.claim.kind not in _OF_SPEAKER or r.label != "new"]
            results = told or (graded if not example.knowledge else [])
            if not results:
                outcomes[number] = self._refusal(example, split[number])
                continue
            kept = {id(one.claim) for one in results}
            silent = tuple(claim for claim in split[number] if id(claim) not in kept)
            outcomes[number] = ConsistencyResult(tuple(results), silent, overall(results))
        return outcomes

    def _unfit(self, example: Example, claims: Sequence[Claim], sources: bool) -> str:
        """Why the example cannot be judged at all; empty where it can."""
        if not words(example.response):
            return "The response has no words."
        if not sources:
            wanted = "knowledge, history or persona" if self.against == "all" else self.against
            return f"The row has no {wanted} to judge the response against."
        if self.language == "english" and is_foreign(f"{example.knowledge} {example.response}"):
            return "The text does not look like English: use language=any to score it anyway."
        return "" if claims else "The response has no words."

    def _counted(self, claims: Sequence[Claim], example: Example) -> list[Claim]:
        own = _of_speaker(example.knowledge)
        statements = [
            claim for claim in claims
            if claim.kind == "statement"
            or (claim.kind in _OF_SPEAKER and (own or _answers(claim, example)))
        ]  # fmt: skip
        # "Yes! It is the largest animal." claims what its second sentence says.
        told = [claim for claim in statements if not is_short_answer(claim.text)]
        statements = told or statements
        if statements or self.generic == "abstain":
            return statements
        # Benchmarks that count every response count what claims nothing as a whole.
        start, end = claims[0].start, claims[-1].end
        return [Claim(" ".join(claim.text for claim in claims), start, end)]

    def _refusal(self, example: Example, claims: Sequence[Claim]) -> Abstained:
        """Why a response without a claim has no score."""
        if not any(claim.kind == "refusal" for claim in claims) or "?" not in example.message:
            if any(claim.kind == "personal" for claim in claims):
                return Abstained(
                    "The response tells only of the speaker, which knowledge cannot know."
                )
            return Abstained("The response claims nothing that could be right or wrong.")
        (answer,) = self.backend.answer([Query(example.message, example.knowledge)])
        if answer.text is None or answer.confidence < _SURE:
            return Abstained("The response refuses, and the knowledge does not clearly answer.")
        known = one_line(answer.text, 60)
        return Abstained(
            f"The response refuses, although the knowledge says “{known}”.", "needless refusal"
        )

    def _graded(
        self, grader: Grader, judged: Mapping[int, list[Asked]], examples: Sequence[Example]
    ) -> dict[int, list[ClaimResult]]:
        """The claims of each row with their verdicts and the words that are wrong.

        Where no word stands out, the models judge the claim without each of its words. A server is
        not asked: each pair is a request there.
        """
        graded = {
            number: [grader.grade(one, examples[number]) for one in own]
            for number, own in judged.items()
        }
        # Only servers have `at_once`; with one request at a time it is 1. A cache may be around it.
        server = hasattr(getattr(self.backend, "inner", self.backend), "at_once")
        asked = {
            (number, place): {} if server else grader.left_out(judged[number][place], result)
            for number, own in graded.items()
            for place, result in enumerate(own)
        }
        inferred = self._infer(pair for left in asked.values() for pair in left.values())
        for (number, place), left in asked.items():
            graded[number][place] = grader.with_telling_words(
                judged[number][place], graded[number][place], examples[number],
                {word: inferred[pair] for word, pair in left.items()},
            )  # fmt: skip
        return graded

    def _infer(self, pairs: Iterable[Pair]) -> dict[Pair, Entailment]:
        """What the entailment model says of each pair, asked once."""
        different = list(dict.fromkeys(pairs))
        if not different:
            return {}
        return dict(zip(different, self.backend.infer(different), strict=True))


def _about_speaker(
    claims: Sequence[Claim], example: Example, indexes: Mapping[Source, Index]
) -> list[Asked]:
    """What speakers say of themselves, which only their persona and earlier turns can tell."""
    own: dict[Source, Index] = {s: index for s, index in indexes.items() if s != "knowledge"}
    if not own or _of_speaker(example.knowledge):
        return []
    return [
        _asked(claim, example, own)
        for claim in claims
        if claim.kind in _OF_SPEAKER and not _answers(claim, example)
    ]


def _answers(claim: Claim, example: Example) -> bool:
    """Whether the claim is the short answer to a question, such as "I don't." """
    return "?" in example.message and is_short_answer(claim.text)


def _of_speaker(knowledge: str) -> bool:
    """Whether the knowledge itself is told by the speaker: "I have two cats." """
    return bool(_SPEAKER.search(knowledge))


def _asked(claim: Claim, example: Example, indexes: Mapping[Source, Index]) -> Asked:
    """The claim without its citations, read in its conversation, with the lines that matter."""
    plain, cites = cited(claim.text, example.passages)
    statement = in_context(replace(claim, text=plain), example)
    if "knowledge" in indexes:
        statement = with_open_subject(statement, example.knowledge)
    return Asked.of(claim, statement, indexes, cites)


def _with_exchanges(asked: Mapping[int, list[Asked]]) -> dict[int, list[Asked]]:
    """The claims of each row, those marked whose agent or object the knowledge has otherwise."""
    lines = [
        (one.statement, [line.text for line in one.nearest.get("knowledge", ())])
        for own in asked.values()
        for one in own
    ]
    told = iter(exchanges(lines))
    return {number: [one.with_exchange(next(told)) for one in own] for number, own in asked.items()}


def _verdict(example: Example, result: ConsistencyResult | Abstained) -> Verdict:
    if isinstance(result, Abstained):
        return Verdict(example.id, "consistency", None, result.label, result.reason)
    label = "consistent" if result.score > 0.5 else "inconsistent"
    return Verdict(
        example.id, "consistency", result.score, label, reason(result), evidence(example, result)
    )
