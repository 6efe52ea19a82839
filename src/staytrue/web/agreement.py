"""How far the annotators of a queue agree, question by question, and what most of them say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from staytrue.stats.annotators import cohen_kappa, fleiss_kappa, krippendorff_alpha, majority
from staytrue.web.queues import StoredJudgement
from staytrue.web.tasks import TaskQuestion, Value, task


@dataclass(frozen=True)
class QuestionAgreement:
    """Agreement on one question."""

    question: str
    prompt: str
    alpha: float | None
    kappa: float | None
    """Cohen's κ where exactly two people judged, weighted by steps on an ordered scale."""
    fleiss: float | None
    """Fleiss' κ, where every shared item has equally many judgements."""
    reason: str
    """Why there is no α, if there is none."""
    shared: int
    """Items, or sentences, that at least two people judged."""
    same: float | None
    """Share of the shared ones on which all agree."""
    votes: dict[str, int]
    """How often each answer was given."""
    majorities: dict[str, int]
    """How often each answer has a majority of the people."""


@dataclass(frozen=True)
class PersonFigures:
    """What one annotator did."""

    name: str
    judged: int
    skipped: int
    median_seconds: float | None
    with_majority: float | None
    """Share of shared answers that are the majority's."""


def by_question(kind: str, rows: Sequence[StoredJudgement]) -> list[QuestionAgreement]:
    """Agreement on each question of the task."""
    return [_agreement(question, table(question, rows)) for question in task(kind).questions]


def table(question: TaskQuestion, rows: Sequence[StoredJudgement]) -> list[dict[str, Value]]:
    """For each item, or sentence of one, annotator → answer."""
    units: dict[tuple[int, int], dict[str, Value]] = {}
    for row in rows:
        for number, part in enumerate((row.answers or {}).get("parts", ())):
            if question.name in part:
                units.setdefault((row.position, number), {})[row.annotator] = part[question.name]
    return [units[key] for key in sorted(units)]


def _agreement(question: TaskQuestion, units: Sequence[dict[str, Value]]) -> QuestionAgreement:
    people = sorted({name for unit in units for name in unit})
    ratings: list[list[Any]] = [[unit.get(name) for name in people] for unit in units]
    alpha = krippendorff_alpha(
        ratings, question.level, [choice.value for choice in question.choices]
        if question.level == "ordinal" else None,
    )  # fmt: skip
    kappa = None
    if len(people) == 2:
        scale = [choice.value for choice in question.choices]
        weights: Literal["none", "quadratic"] = (
            "none" if question.level == "nominal" else "quadratic"
        )
        first, second = ([row[n] for row in ratings] for n in (0, 1))
        kappa = cohen_kappa(first, second, weights, scale or None).value
    shared = [list(unit.values()) for unit in units if len(unit) > 1]
    fleiss = fleiss_kappa(shared).value if len({len(unit) for unit in shared}) == 1 else None
    won: list[Value | None] = [_winner(unit) for unit in units]
    return QuestionAgreement(
        question.name, question.prompt, alpha.value, kappa, fleiss, alpha.reason, len(shared),
        sum(len(set(unit)) == 1 for unit in shared) / len(shared) if shared else None,
        _counted(question, [vote for unit in units for vote in unit.values()]),
        _counted(question, won),
    )  # fmt: skip


def _winner(unit: dict[str, Value]) -> Value | None:
    # mypy joins str, int and float to object.
    return cast("Value | None", majority(list(unit.values())))


def _counted(question: TaskQuestion, votes: Sequence[Value | None]) -> dict[str, int]:
    counts = Counter(votes)
    by_label = {choice.label: counts[choice.value] for choice in question.choices}
    return by_label | ({"no majority": counts[None]} if counts[None] else {})


def by_person(kind: str, rows: Sequence[StoredJudgement]) -> list[PersonFigures]:
    """What each annotator did, and how often they are with the majority."""
    right: Counter[str] = Counter()
    compared: Counter[str] = Counter()
    for question in task(kind).questions:
        for unit in table(question, rows):
            winner = _winner(unit) if len(unit) > 1 else None
            if winner is not None:
                compared.update(unit.keys())
                right.update(name for name, answer in unit.items() if answer == winner)
    return [_person(name, rows, right, compared) for name in sorted({r.annotator for r in rows})]


def _person(
    name: str, rows: Sequence[StoredJudgement], right: Counter[str], compared: Counter[str]
) -> PersonFigures:
    mine = [row for row in rows if row.annotator == name]
    seconds = sorted(row.seconds for row in mine if row.seconds is not None)
    return PersonFigures(
        name, sum(row.skipped is None for row in mine),
        sum(row.skipped is not None for row in mine),
        seconds[len(seconds) // 2] if seconds else None,
        right[name] / compared[name] if compared[name] else None,
    )  # fmt: skip
