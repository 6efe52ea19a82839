"""End-to-end NLI: does the knowledge entail the response? (baseline of Honovich et al., 2021).

Short knowledge and response are judged as one pair. Where the knowledge is long, each sentence
of the response is judged against the sentences of the knowledge most like it, and the one that
supports it best counts; where none supports it, the one that is least neutral. With `score=paper`
knowledge and response are always one pair, as they are written.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from staytrue.core.protocols import Entailment, EntailmentModel, Pair
from staytrue.core.records import Evidence, EvidenceKind, Example, Verdict
from staytrue.core.text import words
from staytrue.english.words import sentence_spans, unmarked

# Knowledge of up to this many words is one premise: three long sentences, what the model reads.
_SHORT = 90
# Sentences of long knowledge that are tried for each sentence of the response.
_TRIED = 4
_PAPER = {"entailment": 1.0, "neutral": 0.5, "contradiction": 0.0}
_EXPLAINED = {
    "entailment": "The knowledge supports the response.",
    "neutral": "The knowledge neither supports nor contradicts the response.",
    "contradiction": "The knowledge contradicts the response.",
}


@dataclass(frozen=True)
class _Part:
    """A stretch of the response, and the stretches of the knowledge it is judged against."""

    response: tuple[int, int]
    knowledge: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class JudgedPart:
    """A part of the response with the stretch of the knowledge that says most about it."""

    response: tuple[int, int]
    knowledge: tuple[int, int]
    entailment: Entailment


@dataclass(frozen=True)
class NliResult:
    """What the entailment model says of a response, as a whole and part by part."""

    whole: Entailment
    parts: tuple[JudgedPart, ...]


def support(entailment: Entailment) -> float:
    """P(entailment) · (1 − P(contradiction)): what the knowledge leaves open has no support."""
    return entailment.entailment * (1 - entailment.contradiction)


def label_of(entailment: Entailment) -> str:
    """The most probable label, but "entailment" only where the support is above one half.

    A response that is called supported must not have a score that calls it inconsistent.
    """
    doubtful = entailment.label == "entailment" and support(entailment) <= 0.5
    return "neutral" if doubtful else entailment.label


@dataclass(frozen=True)
class EndToEndNli:
    """Score a response by how far its knowledge entails it and does not contradict it."""

    uses: ClassVar[tuple[str, ...]] = ("infer",)
    labels: ClassVar[tuple[str, ...]] = ("entailment", "neutral", "contradiction")

    backend: EntailmentModel
    premise: Literal["knowledge", "response"] = "knowledge"
    """Which of the two is the premise; the other is the hypothesis."""
    score: Literal["probability", "paper"] = "probability"
    """"paper" scores the likeliest label of one pair, the two texts as they are written: 1, 0.5 or
    0 for entailment, neutral, contradiction."""

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """One verdict per example; abstains where response or knowledge is empty."""
        return [
            self._verdict(example, result)
            for example, result in zip(examples, self.results(examples), strict=True)
        ]

    def results(self, examples: Sequence[Example]) -> list[NliResult | None]:
        """What the model says of each example; None where response or knowledge is empty."""
        if self.score == "paper":
            parts = [_whole(example) for example in examples]
        else:
            examples = [unmarked(example) for example in examples]
            parts = [_parts(example) for example in examples]
        pairs = [
            self._pair(example, part.response, stretch)
            for example, own in zip(examples, parts, strict=True)
            for part in own
            for stretch in part.knowledge
        ]
        answers = iter(self.backend.infer(pairs))
        results: list[NliResult | None] = []
        for own in parts:
            judged = [_best(part, [next(answers) for _ in part.knowledge]) for part in own]
            results.append(NliResult(_mean(judged), tuple(judged)) if judged else None)
        return results

    def _pair(self, example: Example, response: tuple[int, int], known: tuple[int, int]) -> Pair:
        sentence = example.response[slice(*response)]
        knowledge = example.knowledge[slice(*known)]
        return (
            Pair(knowledge, sentence) if self.premise == "knowledge" else Pair(sentence, knowledge)
        )

    def _verdict(self, example: Example, result: NliResult | None) -> Verdict:
        if result is None:
            empty = "knowledge" if example.response.strip() else "response"
            return Verdict(example.id, "nli", None, reason=f"The {empty} is empty.")
        whole = result.whole
        label, score = label_of(whole), support(whole)
        if self.score == "paper":
            label, score = whole.label, _PAPER[whole.label]
        return Verdict(
            example.id, "nli", min(1.0, max(0.0, score)), label,
            reason=_EXPLAINED[label],
            evidence=(
                Evidence(EvidenceKind.PROBABILITIES, label=label, details=_three(whole)),
                *(piece for one in result.parts for piece in _evidence(example, one)),
            ),
        )  # fmt: skip


def _mean(judged: Sequence[JudgedPart]) -> Entailment:
    """A response is as consistent as the average of its sentences.

    Alone, a sentence such as "that is so cool!" must not decide.
    """
    three = (sum(getattr(one.entailment, name) for one in judged) / len(judged) for name in _PAPER)
    return Entailment(*three)


def _whole(example: Example) -> list[_Part]:
    response, knowledge = (_stripped(text) for text in (example.response, example.knowledge))
    return [_Part(response, (knowledge,))] if response and knowledge else []


def _stripped(text: str) -> tuple[int, int] | None:
    """Where the text begins and ends without the space around it; None if it is all space."""
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return (start, end) if start < end else None


def _parts(example: Example) -> list[_Part]:
    response = sentence_spans(example.response)
    known = sentence_spans(example.knowledge)
    if not response or not known:
        return []
    if len(words(example.knowledge)) <= _SHORT:
        return [_Part((response[0][0], response[-1][1]), ((known[0][0], known[-1][1]),))]
    knowledge = [(stretch, set(words(example.knowledge[slice(*stretch)]))) for stretch in known]
    parts = []
    for stretch in response:
        wanted = set(words(example.response[slice(*stretch)]))
        ranked = sorted(knowledge, key=lambda one: (-_likeness(one[1], wanted), one[0]))
        parts.append(_Part(stretch, tuple(sorted(one[0] for one in ranked[:_TRIED]))))
    return parts


def _likeness(left: set[str], right: set[str]) -> float:
    """Shared words against the length of both, so that long sentences do not always win."""
    return len(left & right) / math.sqrt((len(left) + 1) * (len(right) + 1))


def _best(part: _Part, answers: Sequence[Entailment]) -> JudgedPart:
    judged = [
        JudgedPart(part.response, stretch, answer)
        for stretch, answer in zip(part.knowledge, answers, strict=True)
    ]
    supporting = [one for one in judged if one.entailment.label == "entailment"]
    if supporting:
        return max(supporting, key=lambda one: one.entailment.entailment)
    # Where nothing supports it, what says most about it is the best evidence there is.
    return min(judged, key=lambda one: one.entailment.neutral)


def _evidence(example: Example, judged: JudgedPart) -> tuple[Evidence, Evidence]:
    (start, end), (first, last) = judged.response, judged.knowledge
    return (
        Evidence(
            EvidenceKind.SENTENCE, example.response[start:end], "response", start, end,
            support(judged.entailment), label_of(judged.entailment), _three(judged.entailment),
        ),
        Evidence(EvidenceKind.SENTENCE, example.knowledge[first:last], "knowledge", first, last),
    )  # fmt: skip


def _three(entailment: Entailment) -> dict[str, float]:
    return {name: round(getattr(entailment, name), 4) for name in _PAPER}
