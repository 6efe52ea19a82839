"""Controls of Q²: knowledge that has nothing to do with the response, and the response's length."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean

import numpy as np

from staytrue.core.errors import RunError
from staytrue.core.records import EvidenceKind, Example, JsonDict, Verdict
from staytrue.metrics.q2.steps import NO_ANSWER
from staytrue.plugins.registry import NamedMetric
from staytrue.runs.runner import Evaluation, judge_all
from staytrue.stats.clusters import dialogue_of
from staytrue.stats.correlation import spearman

KINDS = ("own", "same dialogue", "other dialogue")


@dataclass(frozen=True, slots=True)
class ControlFigures:
    """What a metric says with one kind of knowledge."""

    responses: int
    questions: int
    """Valid questions over all responses; 0 for metrics that ask none."""
    unanswered: float | None
    """Share of those that the knowledge does not answer."""
    score: float | None
    """Mean over responses with a score."""
    question_score: float | None
    """Mean over responses with at least one valid question, as the paper counts."""
    covered: int
    """Responses with at least one valid question."""


@dataclass(frozen=True, slots=True)
class LengthFigures:
    """How long the responses of one group are."""

    group: str
    responses: int
    characters: float
    tokens: float


@dataclass(frozen=True, slots=True)
class Controls:
    """What a metric says with each kind of knowledge, and how far it follows length."""

    metric: str
    signature: str
    knowledge: Mapping[str, ControlFigures]
    """Kind of knowledge → figures."""
    length: tuple[LengthFigures, ...]
    length_spearman: float | None
    """Of a response's number of tokens and its score."""

    def to_json(self) -> JsonDict:
        """Plain values; the signature names the metric."""
        row = asdict(self)
        del row["metric"]
        return row


def measure(examples: Sequence[Example], metric: NamedMetric, *, seed: int = 0) -> Controls:
    """Score responses with their own knowledge and with that of other turns."""
    groups = {KINDS[0]: list(examples)}
    groups |= {kind: with_random_knowledge(examples, kind, seed=seed) for kind in KINDS[1:]}
    verdicts = {kind: _judged(group, metric) for kind, group in groups.items()}
    return Controls(
        metric.name,
        metric.signature,
        {kind: figures(own) for kind, own in verdicts.items()},
        tuple(lengths(examples)),
        length_correlation(examples, verdicts[KINDS[0]]),
    )


def _judged(examples: Sequence[Example], metric: NamedMetric) -> list[Verdict]:
    judged = Evaluation({metric.name: metric.signature})
    judge_all(examples, [metric], judged)
    if judged.failures:
        # Figures of other responses than those asked about would not be controls.
        first = judged.failures[0]
        raise RunError(f"{first.where}: {first.error}; leave that row out and run it again.")
    return judged.verdicts


def with_random_knowledge(
    examples: Sequence[Example], kind: str, *, seed: int = 0
) -> list[Example]:
    """Give each response the knowledge of another turn, of its own dialogue or of another one.

    Responses for which there is none are left out.
    """
    by_dialogue: dict[str, list[str]] = defaultdict(list)
    for example in examples:
        if example.knowledge.strip() and example.knowledge not in by_dialogue[dialogue_of(example)]:
            by_dialogue[dialogue_of(example)].append(example.knowledge)
    everything = [(d, k) for d, knowledge in sorted(by_dialogue.items()) for k in sorted(knowledge)]
    changed = []
    for example in examples:
        own = dialogue_of(example)
        if kind == "same dialogue":
            choices = [k for k in sorted(by_dialogue[own]) if k != example.knowledge] if own else []
        else:
            choices = [k for d, k in everything if d != own and k != example.knowledge]
        if choices:
            rng = random.Random(f"{seed}|{kind}|{example.id}")
            changed.append(replace(example, knowledge=rng.choice(choices), passages=()))
    return changed


def figures(verdicts: Sequence[Verdict]) -> ControlFigures:
    """Count questions, unanswered ones and scores.

    A stored run holds verdicts only, so the questions are read from their evidence.
    """
    questions_of = [[e for e in v.evidence if e.kind is EvidenceKind.QUESTION] for v in verdicts]
    questions = [e for mine in questions_of for e in mine]
    scores = [v.score for v in verdicts if v.score is not None]
    covered = [
        v.score
        for v, mine in zip(verdicts, questions_of, strict=True)
        if mine and v.score is not None
    ]
    unanswered = sum(e.label == NO_ANSWER for e in questions)
    return ControlFigures(
        responses=len(verdicts),
        questions=len(questions),
        unanswered=unanswered / len(questions) if questions else None,
        score=fmean(scores) if scores else None,
        question_score=fmean(covered) if covered else None,
        covered=len(covered),
    )


def lengths(examples: Sequence[Example]) -> list[LengthFigures]:
    """Mean length of the responses, by human judgement where there is one."""
    groups: Mapping[str, list[str]] = defaultdict(list)
    for example in examples:
        known = {True: "consistent", False: "inconsistent", None: "not judged"}
        groups[known[example.consistent]].append(example.response)
    return [
        LengthFigures(
            name,
            len(responses),
            fmean(len(r) for r in responses),
            fmean(len(r.split()) for r in responses),
        )
        for name, responses in sorted(groups.items())
    ]


def length_correlation(examples: Sequence[Example], verdicts: Sequence[Verdict]) -> float | None:
    """Spearman between a response's number of tokens and its score, verdicts as the examples."""
    pairs = [
        (len(example.response.split()), verdict.score)
        for example, verdict in zip(examples, verdicts, strict=True)
        if verdict.score is not None
    ]
    table = np.array(pairs, dtype=float).reshape(-1, 2)
    return spearman(table[:, 0], table[:, 1])
