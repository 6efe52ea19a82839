"""A run's verdicts against the human judgements in it, metric by metric."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from staytrue.core.errors import UsageError
from staytrue.core.records import Example
from staytrue.runs.store import Run
from staytrue.stats import classification, correlation
from staytrue.stats.bootstrap import DRAWS, Interval, PairedTest, interval, paired

# BEGIN's three kinds of "neutral", which its 3-way task merges.
MERGED = {"hallucination": "neutral", "off-topic": "neutral", "generic": "neutral"}
THREE_WAY = frozenset({"entailment", "neutral", "contradiction"})


@dataclass(frozen=True)
class Judged:
    """One metric's scores and labels beside people's, as arrays over the same examples."""

    ids: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    consistent: list[bool | None] = field(default_factory=list)
    human_labels: list[str | None] = field(default_factory=list)
    ratings: list[float | None] = field(default_factory=list)
    abstained: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Agreement:
    """Figures of one metric; a group is None when the run has no such human judgement."""

    signature: str
    n: int
    abstained: int
    yes_no: Mapping[str, Any] | None = None
    classes: Mapping[str, Any] | None = None
    graded: Mapping[str, Any] | None = None


def judged(
    run: Run, *, positive: Collection[str] = (), abstained_as: float | None = None
) -> dict[str, Judged]:
    """Read a run into arrays; `positive` says which human classes count as consistent."""
    people: dict[str, tuple[bool | None, str | None, float | None]] = {}
    releases: set[str] = set()
    for example in run.examples():
        if "release" in example.tags:
            releases.add(example.tags["release"])
        people[example.id] = (is_consistent(example, positive), example.label, example.rating)
    if len(releases) > 1:
        raise UsageError(
            "The run mixes releases of a data set whose labels mean different things: "
            "score each release into a run of its own."
        )
    labels = {label for _, label, _ in people.values() if label is not None}
    if missing := sorted(set(positive) - labels):
        raise UsageError(
            f"No example has the label '{missing[0]}' that --positive names; "
            f"labels are {', '.join(sorted(labels)[:10]) or 'not given'}."
        )
    found = {name: Judged() for name in run.signatures}
    for verdict in run.verdicts():
        if verdict.example_id not in people:
            continue
        one = found[verdict.metric]
        score = verdict.score
        if score is None:
            one.abstained.append(verdict.example_id)
            if abstained_as is None:
                continue
            score = abstained_as
        consistent, label, rating = people[verdict.example_id]
        one.ids.append(verdict.example_id)
        one.scores.append(score)
        one.labels.append(verdict.label)
        one.consistent.append(consistent)
        one.human_labels.append(label)
        one.ratings.append(rating)
    return found


def is_consistent(example: Example, positive: Collection[str]) -> bool | None:
    """What people say of it; with `positive`, by their class."""
    if positive and example.label is not None:
        return example.label in positive
    return example.consistent


def agreement(
    run: Run,
    *,
    seed: int = 0,
    draws: int = DRAWS,
    positive: Collection[str] = (),
    abstained_as: float | None = None,
) -> dict[str, Agreement]:
    """Every figure of every metric, each with its 95 % interval."""
    result = {}
    everything = judged(run, positive=positive, abstained_as=abstained_as)
    for name, one in everything.items():
        scores = np.array(one.scores)
        result[name] = Agreement(
            run.signatures[name],
            len(one.ids),
            len(one.abstained),
            _yes_no(scores, one.consistent, seed, draws),
            _classes(one.labels, one.human_labels, seed, draws),
            _graded(scores, one.ratings, seed, draws),
        )
    if all(a.yes_no is a.classes is a.graded is None for a in result.values()):
        raise UsageError(_why_nothing(everything))
    return result


def _why_nothing(found: Mapping[str, Judged]) -> str:
    """Why no figure could be computed."""
    if not any(one.ids for one in found.values()):
        return "No metric has a score in this run: the reasons are in verdicts.jsonl."
    if any(label for one in found.values() for label in one.human_labels):
        return (
            "The human labels are classes that the metrics do not have: say which of them count "
            "as consistent with --positive LABEL."
        )
    return "The run has no human judgements: give rows a field consistent, label or rating."


def _yes_no(
    scores: np.ndarray, judgements: list[bool | None], seed: int, draws: int
) -> dict[str, Any] | None:
    kept = np.array([j is not None for j in judgements], dtype=bool)
    if not kept.any():
        return None
    values, truth = scores[kept], np.array([bool(j) for j in judgements])[kept]
    threshold = classification.best_threshold(values, truth)

    def over(statistic: Any) -> Interval:
        return interval(statistic, len(values), seed=seed, draws=draws)

    def figure(side: bool, name: str) -> Interval:
        return over(
            lambda i: getattr(
                classification.class_figures((values[i] > 0.5) == side, truth[i] == side), name
            )
        )

    sides = {
        label: {name: figure(side, name) for name in ("precision", "recall", "f1")}
        for label, side in (("consistent", True), ("inconsistent", False))
    }
    return {
        "n": len(values),
        "n_consistent": int(truth.sum()),
        "roc_auc": over(lambda i: classification.roc_auc(values[i], truth[i])),
        "accuracy_at_0.5": over(lambda i: classification.accuracy(values[i], truth[i])),
        "best_threshold": threshold,
        "accuracy_at_best": over(lambda i: classification.accuracy(values[i], truth[i], threshold)),
        **sides,
    }


def _classes(
    predicted: list[str | None], human: list[str | None], seed: int, draws: int
) -> dict[str, Any] | None:
    pairs = [(p, h) for p, h in zip(predicted, human, strict=True) if p and h]
    if not pairs:
        return None
    guessed = [p for p, _ in pairs]
    given = [h for _, h in pairs]
    if set(guessed) <= THREE_WAY and set(given) & set(MERGED):
        given = [MERGED.get(label, label) for label in given]
    if not set(guessed) & set(given):
        return None  # classes of different tasks
    a, b = np.array(guessed), np.array(given)
    return {
        "n": len(pairs),
        "accuracy": interval(
            lambda i: float(np.mean(a[i] == b[i])), len(a), seed=seed, draws=draws
        ),
        "macro_f1": interval(
            lambda i: classification.macro_f1(list(a[i]), list(b[i])), len(a), seed=seed,
            draws=draws,
        ),
        "confusion": classification.confusion(guessed, given),
    }  # fmt: skip


def _graded(
    scores: np.ndarray, ratings: list[float | None], seed: int, draws: int
) -> dict[str, Any] | None:
    kept = np.array([r is not None for r in ratings], dtype=bool)
    if not kept.any():
        return None
    values = scores[kept]
    people = np.array([r for r in ratings if r is not None])
    figures: dict[str, Any] = {"n": len(values)}
    named = {"spearman": correlation.spearman, "pearson": correlation.pearson}
    if people.min() >= 0 and people.max() <= 1:
        named["mse"] = correlation.mean_squared_error
    for name, function in named.items():
        figures[name] = interval(_on(function, values, people), len(values), seed=seed, draws=draws)
    return figures


def _on(
    function: Callable[[np.ndarray, np.ndarray], float | None],
    left: np.ndarray,
    right: np.ndarray,
) -> Callable[[np.ndarray], float | None]:
    return lambda indexes: function(left[indexes], right[indexes])


def paired_test(
    run: Run,
    a: str,
    b: str,
    *,
    seed: int = 0,
    draws: int = DRAWS,
    positive: Collection[str] = (),
    abstained_as: float | None = None,
) -> tuple[str, int, PairedTest | None]:
    """Does metric A beat metric B? By ROC-AUC for yes/no labels, else by Spearman."""
    found = judged(run, positive=positive, abstained_as=abstained_as)
    for name in (a, b):
        if name not in found:
            raise UsageError(f"The run has no metric '{name}'; it has {', '.join(found)}.")
    position = {example_id: index for index, example_id in enumerate(found[b].ids)}
    both = [(i, position[x]) for i, x in enumerate(found[a].ids) if x in position]
    one, other = found[a], found[b]
    binary = [(i, j) for i, j in both if one.consistent[i] is not None]
    graded = [(i, j) for i, j in both if one.ratings[i] is not None]
    pairs = binary or graded
    if not pairs:
        raise UsageError("No example with a human judgement was scored by both metrics.")
    # Ranks, because swapping scores of different scales would mean nothing.
    left = classification.ranks(np.array([one.scores[i] for i, _ in pairs]))
    right = classification.ranks(np.array([other.scores[j] for _, j in pairs]))
    if binary:
        truth = np.array([bool(one.consistent[i]) for i, _ in pairs])
        name = "roc_auc"

        def statistic(scores: np.ndarray, i: np.ndarray) -> float | None:
            return classification.roc_auc(scores[i], truth[i])
    else:
        ratings = np.array([one.ratings[i] or 0.0 for i, _ in pairs])
        name = "spearman"

        def statistic(scores: np.ndarray, i: np.ndarray) -> float | None:
            return correlation.spearman(scores[i], ratings[i])

    return name, len(pairs), paired(statistic, left, right, seed=seed, draws=draws)
