"""Q²: ask about what the response says, and let its knowledge answer (Honovich et al., 2021).

Spans of the response become questions; a question counts if the response itself answers it with
the span; the knowledge answers the same question; the two answers are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import ClassVar, Literal, TypeVar

from staytrue.core.errors import UsageError, one_line
from staytrue.core.protocols import Entailment, Pair
from staytrue.core.records import Evidence, EvidenceKind, Example, Verdict
from staytrue.english.words import unmarked
from staytrue.metrics.q2.steps import (
    MOST_SPANS,
    Candidate,
    Comparing,
    Dropped,
    JudgedQuestion,
    Q2Backend,
    Resolved,
    bounded_spans,
    judge_questions,
    keep_valid,
    raise_questions,
    unresolved,
)
from staytrue.plugins.registry import settle

Item = TypeVar("Item", JudgedQuestion, Dropped)

_END_TO_END = {"entailment": 1.0, "neutral": 0.5, "contradiction": 0.0}
_WHY = {
    "personal": "It is about the speaker or the listener.",
    "round trip": "The response itself does not answer it with the span.",
}
# Parsing takes a ninth of the time, on one core: some rows are parsed while the models read others.
# Smaller batches are parsed less quickly, larger ones leave a core idle at first.
_OVERLAPPED = 16
_PUBLISHED = {"compare": "answers", "scores": "hard", "pronouns": "compare"}
_COMPAT: dict[str, dict[str, str]] = {
    "none": {},
    "paper": _PUBLISHED,
    "released": {**_PUBLISHED, "questions": "all", "fallback": "none"},
}


@dataclass(frozen=True, slots=True)
class Q2Result:
    """What was asked about a response, and how its knowledge answers."""

    response: Resolved
    """The response as it was asked about."""
    questions: tuple[JudgedQuestion, ...]
    """The valid questions, with both answers."""
    dropped: tuple[Dropped, ...]
    """The others, and why they do not count."""
    whole: Entailment | None = None
    """What the entailment model says of the whole response, if no question is valid."""
    unasked: int = 0
    """How many spans beyond the limit nothing was asked about."""

    @property
    def answered(self) -> tuple[JudgedQuestion, ...]:
        """The questions that the knowledge answers."""
        return tuple(one for one in self.questions if one.from_knowledge is not None)


@dataclass(frozen=True)
class Q2:
    """Score a response by how far its knowledge gives the same answers.

    Our models are a hundredth of the size of the paper's, so three steps are made sturdier:
    where answers differ or none is found, the entailment model also judges the span's sentence
    against the whole knowledge (`compare`), by its probabilities (`scores`), and a pronoun agrees
    with the name that the knowledge gives (`pronouns`). `compat="paper"` does all three as
    published, and deletes punctuation from answers where we put a space ("U.S." is "us");
    `compat="released"` does what the authors' code does by default: besides, every question that
    survives counts, and a response without a valid question has no score.
    """

    uses: ClassVar[tuple[str, ...]] = ("spans", "ask", "answer", "infer")

    backend: Q2Backend
    nli: Literal["on", "off"] = "on"
    """"off" compares answers by token F1 alone (Q² w/o NLI)."""
    questions: Literal["single", "all"] = "single"
    """"single" keeps the first question of a span that survives, "all" keeps every one."""
    top: int = 5
    """How many of the generator's questions a span may try."""
    personal: Literal["drop", "keep"] = "drop"
    """"keep" for persona data: questions about "I" and "you" count too."""
    fallback: Literal["nli", "none", "zero"] = "nli"
    """A response without a valid question: end-to-end entailment, no score, or 0."""
    premise: Literal["knowledge", "response"] = "knowledge"
    """Which side is the premise of that end-to-end entailment."""
    unanswerable: Literal["count", "discard"] = "count"
    """"discard" leaves out unanswered questions where others were answered (Q²*)."""
    compare: Literal["both", "answers", "knowledge"] = "both"
    """Where answers differ: does one entail the other, the knowledge the sentence, or both?"""
    scores: Literal["soft", "hard"] = "soft"
    """Entailment by its probabilities, or by its label alone."""
    pronouns: Literal["match", "compare"] = "match"
    """A pronoun agrees with whatever the knowledge names, or is compared as a word."""
    coref: Literal["off", "on", "dialogue"] = "off"
    """"on" first puts names in place of the response's pronouns, where that can be asked about;
    "dialogue" puts each entity's first mention in all of the dialogue, as the first version did."""
    compat: Literal["none", "paper", "released"] = "none"

    def __post_init__(self) -> None:
        settle(self, self.compat, _COMPAT[self.compat])
        if self._published and self.coref == "on":
            raise UsageError(
                f"compat={self.compat} resolves pronouns by all of the dialogue: "
                "write coref=dialogue, or leave coref out."
            )

    @property
    def _published(self) -> bool:
        return self.compat != "none"

    def models(self) -> Mapping[str, str]:
        """What it parses with by itself, whatever the backend."""
        if self.coref == "off":
            return {}
        from staytrue.english.parses import pipeline_name

        return {"english": pipeline_name()}

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """One verdict per example; abstains where response or knowledge is empty."""
        return [
            self._verdict(example, result) if result else _empty(example)
            for example, result in zip(examples, self.results(examples), strict=True)
        ]

    def results(self, examples: Sequence[Example]) -> list[Q2Result | None]:
        """What was asked about each example; None where response or knowledge is empty."""
        if len(examples) > _OVERLAPPED and getattr(self.backend, "threads", 1) > 1:
            from staytrue.core.batches import overlapped

            return overlapped(self._results, examples, _OVERLAPPED)
        return self._results(examples)

    def _results(self, examples: Sequence[Example]) -> list[Q2Result | None]:
        results: list[Q2Result | None] = [None] * len(examples)
        places = [n for n, e in enumerate(examples) if e.response.strip() and e.knowledge.strip()]
        judgeable = [examples[n] for n in places]
        if not self._published:  # the published code reads markup as text
            judgeable = [unmarked(example) for example in judgeable]
        responses = [unresolved(e) for e in judgeable]
        if self.coref == "on":
            responses, kept, dropped, unasked = self._resolved(judgeable, responses)
        else:
            if self.coref == "dialogue":
                from staytrue.metrics.q2.coref import resolve_dialogue

                responses = [resolve_dialogue(e) for e in judgeable]
            kept, dropped, unasked = self._valid([r.text for r in responses])
        texts = [r.text for r in responses]
        passages = [e.knowledge for e in judgeable]
        judged = judge_questions(self.backend, kept, texts, passages, self._comparing)
        asked = _by_owner(judged, len(judgeable))
        left_out = _by_owner(dropped, len(judgeable))
        silent = [n for n, mine in enumerate(asked) if not mine]
        whole = self._end_to_end(judgeable, silent)
        for n, index in enumerate(places):
            results[index] = Q2Result(
                responses[n], tuple(asked[n]), tuple(left_out[n]), whole.get(n), unasked[n]
            )
        return results

    def _valid(self, texts: Sequence[str]) -> tuple[list[Candidate], list[Dropped], list[int]]:
        """Valid questions, the others, and how many spans of each text nothing was asked about."""
        spans = bounded_spans(self.backend, texts)
        kept, dropped = keep_valid(
            self.backend,
            texts,
            raise_questions(self.backend, texts, self.top, spans),
            single=self.questions == "single",
            personal=self.personal == "keep",
            published=self._published,
        )
        return kept, dropped, [mine.unasked for mine in spans]

    def _resolved(
        self, examples: Sequence[Example], plain: Sequence[Resolved]
    ) -> tuple[list[Resolved], list[Candidate], list[Dropped], list[int]]:
        """Ask with names for pronouns, and as it stands where that gives no valid question."""
        from staytrue.metrics.q2.coref import resolve

        responses = [resolve(e) for e in examples]
        kept, dropped, unasked = self._valid([r.text for r in responses])
        covered = {c.owner for c in kept}
        silent = [
            n for n, r in enumerate(responses) if n not in covered and r.text != plain[n].text
        ]
        more, less, fewer = self._valid([plain[n].text for n in silent])
        for n, left in zip(silent, fewer, strict=True):
            responses[n], unasked[n] = plain[n], left
        kept += [replace(c, owner=silent[c.owner]) for c in more]
        gone = set(silent)
        dropped = [d for d in dropped if d.candidate.owner not in gone] + [
            replace(d, candidate=replace(d.candidate, owner=silent[d.candidate.owner]))
            for d in less
        ]
        return responses, kept, dropped, unasked

    @property
    def _comparing(self) -> Comparing:
        return Comparing(
            nli=self.nli == "on",
            soft=self.scores == "soft",
            answers=self.compare != "knowledge",
            sentence=self.compare != "answers",
            pronouns_match=self.pronouns == "match",
            published=self._published,
        )

    def _end_to_end(
        self, examples: Sequence[Example], places: Sequence[int]
    ) -> dict[int, Entailment]:
        if self.fallback != "nli" or not places:
            return {}
        sides = [(examples[n].knowledge, examples[n].response) for n in places]
        pairs = [Pair(k, r) if self.premise == "knowledge" else Pair(r, k) for k, r in sides]
        return dict(zip(places, self.backend.infer(pairs), strict=True))

    def _verdict(self, example: Example, result: Q2Result) -> Verdict:
        discard = self.unanswerable == "discard" and bool(result.answered)
        counted = result.answered if discard else result.questions
        evidence = [
            *(_asked(j, result.response, counted=j in counted) for j in result.questions),
            *(_not_asked(d, result.response) for d in result.dropped),
        ]
        if counted:
            score = fmean(j.score for j in counted)
            verdict = Verdict(
                example.id, "q2", score, reason=_reason(counted), evidence=tuple(evidence)
            )
        else:
            verdict = self._without_questions(example, evidence, result.whole)
        return _bounded(verdict, result.unasked) if result.unasked else verdict

    def _without_questions(
        self, example: Example, evidence: list[Evidence], whole: Entailment | None
    ) -> Verdict:
        none = "No question about the response is valid"
        if whole is not None:
            three = (whole.entailment, whole.neutral, whole.contradiction)
            details = dict(zip(_END_TO_END, three, strict=True))
            # Small talk is neutral to any knowledge; half a point for it would rank it above a
            # response with one wrong detail. So by default only support counts.
            soft = whole.entailment
            score: float | None = soft if self._comparing.soft else _END_TO_END[whole.label]
            evidence.append(
                Evidence(EvidenceKind.PROBABILITIES, "Knowledge and response as a whole",
                         label=whole.label, score=score, details=details)
            )  # fmt: skip
            verb = {
                "entailment": "entails it",
                "neutral": "leaves it open",
                "contradiction": "contradicts it",
            }[whole.label]
            reason = f"{none}; as a whole, the knowledge {verb}."
        elif self.fallback == "zero":
            score, reason = 0.0, f"{none}, which counts as 0."
        else:
            score, reason = None, f"{none}."
        return Verdict(example.id, "q2", score, reason=reason, evidence=tuple(evidence))


def _by_owner(items: Iterable[Item], n: int) -> list[list[Item]]:
    groups: list[list[Item]] = [[] for _ in range(n)]
    for item in items:
        groups[item.candidate.owner].append(item)
    return groups


def _asked(judged: JudgedQuestion, resolved: Resolved, *, counted: bool) -> Evidence:
    candidate = judged.candidate
    start, end = resolved.to_original(candidate.span.start, candidate.span.end)
    details: dict[str, object] = {
        "answer_from_response": candidate.span.text,
        "answer_from_knowledge": judged.from_knowledge,
        "confidence": round(judged.confidence, 4),
        "f1": round(judged.f1, 4),
        "rank": candidate.rank,
        "span_kind": candidate.span.label or candidate.span.kind,
    }
    for what, one in judged.entailments.items():
        three = (one.entailment, one.neutral, one.contradiction)
        shown = dict(zip(_END_TO_END, (round(p, 4) for p in three), strict=True))
        details["nli" if what == "answers" else "nli_of_sentence"] = shown
    if not counted:
        details["discarded"] = "The knowledge does not answer it, and it answers others."
    return Evidence(
        EvidenceKind.QUESTION,
        candidate.question,
        "response",
        start,
        end,
        judged.score,
        judged.label,
        details,
    )


def _not_asked(dropped: Dropped, resolved: Resolved) -> Evidence:
    candidate = dropped.candidate
    start, end = resolved.to_original(candidate.span.start, candidate.span.end)
    details: dict[str, object] = {
        "why": _WHY[dropped.why],
        "answer_from_response": dropped.answer,
        "span": candidate.span.text,
        "rank": candidate.rank,
    }
    return Evidence(
        EvidenceKind.DROPPED,
        candidate.question,
        "response",
        start,
        end,
        label=dropped.why,
        details=details,
    )


def _reason(counted: Sequence[JudgedQuestion]) -> str:
    """One sentence: how many answers agree, and the worst disagreement."""
    agree = sum(j.score > 0.5 for j in counted)
    if len(counted) == 1:
        start = f"The one answer of the response {'agrees' if agree else 'does not agree'}"
    else:
        verb = "agrees" if agree == 1 else "agree"
        start = f"{agree} of {len(counted)} answers of the response {verb}"
    start += " with the knowledge"
    # Another answer from the knowledge says more than none.
    worst = min(counted, key=lambda j: (j.score > 0.5, j.from_knowledge is None, j.score))
    if worst.score > 0.5:
        return f"{start}."
    question = one_line(worst.candidate.question, 90)
    span = one_line(worst.candidate.span.text, 50)
    if worst.from_knowledge is None:
        return f"{start}; to “{question}” it says “{span}”, the knowledge does not answer."
    known = one_line(worst.from_knowledge, 50)
    return f"{start}; to “{question}” it says “{span}”, the knowledge “{known}”."


def _bounded(verdict: Verdict, unasked: int) -> Verdict:
    bound = (
        f" Only {MOST_SPANS} of its {MOST_SPANS + unasked:,} names and phrases were asked about."
    )
    return replace(verdict, reason=verdict.reason + bound)


def _empty(example: Example) -> Verdict:
    empty = "knowledge" if example.response.strip() else "response"
    return Verdict(example.id, "q2", None, reason=f"The {empty} is empty.")
