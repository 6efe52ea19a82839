"""From rated sentences to labels by majority, and how far the annotators agree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from staytrue.annotation.begin_rule import QUESTIONS, label
from staytrue.annotation.begin_sheet import Rated
from staytrue.annotation.filled_sheets import each_once
from staytrue.core.begin_labels import COARSE, combine
from staytrue.core.records import JsonDict
from staytrue.stats.annotators import (
    Coefficient,
    cohen_kappa,
    fleiss_kappa,
    human_accuracy,
    krippendorff_alpha,
    majority,
)


@dataclass(frozen=True, slots=True)
class LabelledResponse:
    """A response with the label of each annotator and of their majority."""

    example_id: str
    label: str | None
    """The majority; None for a tie."""
    votes: dict[str, str | None]
    """Annotator → label of the whole response."""
    sentences: dict[int, str | None]
    """Sentence → label by majority."""
    cooperative: float | None
    """Mean rating of cooperativeness, 1 to 5, where it was answered."""

    def to_json(self) -> JsonDict:
        """One row of a file of labels."""
        return {
            "id": self.example_id,
            "label": self.label,
            "votes": self.votes,
            "sentences": list(self.sentences.values()),
            "cooperative": self.cooperative,
        }


@dataclass(frozen=True, slots=True)
class Results:
    """All that a set of answered sheets says."""

    responses: list[LabelledResponse]
    alphas: dict[str, Coefficient]
    """Krippendorff's α of each question (ordinal; question 1a nominal) and of the labels."""
    mean_alpha: Coefficient
    """The mean of the questions' α, which the paper reports; those without a value do not count."""
    fleiss: Coefficient
    """Fleiss' κ of the responses with equally many labels, whoever gave them."""
    cohen: dict[str, Coefficient]
    """Cohen's κ of each two annotators who labelled a response in common."""
    human_5way: Coefficient
    human_3way: Coefficient

    @property
    def figures(self) -> dict[str, Coefficient]:
        """Every figure of agreement by its name."""
        return {
            **{f"alpha {name}": alpha for name, alpha in self.alphas.items()},
            "mean alpha of the questions": self.mean_alpha,
            "fleiss kappa (response labels)": self.fleiss,
            **{f"cohen kappa of {both}": kappa for both, kappa in self.cohen.items()},
            "human accuracy, 5 classes": self.human_5way,
            "human accuracy, 3 classes": self.human_3way,
        }

    @property
    def tally(self) -> Counter[str]:
        """How many responses have each label."""
        return Counter(response.label or "no majority" for response in self.responses)


def results(rated: Iterable[Rated]) -> Results:
    """Label every response by majority and measure agreement, sentence by sentence."""
    rows = list(each_once(rated, lambda row: (row.annotator, (row.example_id, row.number))))
    annotators = sorted({row.annotator for row in rows})
    units: dict[tuple[str, int], dict[str, Rated]] = defaultdict(dict)
    for row in rows:
        units[row.example_id, row.number][row.annotator] = row
    alphas = {field: _alpha(field, units, annotators) for field in QUESTIONS}
    labels = [
        [label(unit[who].answers) if who in unit else None for who in annotators]
        for unit in units.values()
    ]
    mean_alpha = _mean(list(alphas.values()))
    alphas["label"] = krippendorff_alpha(labels)
    responses = _responses(units, annotators)
    votes: list[list[Hashable | None]] = [list(r.votes.values()) for r in responses]
    labels_given = [[v for v in row if v is not None] for row in votes]
    sizes = Counter(len(row) for row in labels_given if len(row) > 1)
    usual = max(sizes, key=lambda size: (sizes[size], size), default=0)
    return Results(
        responses=responses,
        alphas=alphas,
        mean_alpha=mean_alpha,
        fleiss=fleiss_kappa([row for row in labels_given if len(row) == usual]),
        cohen=_each_two(responses, annotators),
        human_5way=human_accuracy(votes),
        human_3way=human_accuracy(votes, COARSE),
    )


def _mean(alphas: Sequence[Coefficient]) -> Coefficient:
    known = [(one.value, one.items) for one in alphas if one.value is not None]
    if not known:
        return Coefficient(None, "No question has an alpha.")
    mean = fmean(value for value, _ in known)
    return Coefficient(mean, f"{len(known)} questions", max(items for _, items in known))


def _each_two(
    responses: Sequence[LabelledResponse], annotators: Sequence[str]
) -> dict[str, Coefficient]:
    kappas = {}
    for left, right in combinations(annotators, 2):
        first, second = ([r.votes.get(who) for r in responses] for who in (left, right))
        kappa = cohen_kappa(first, second)
        if kappa.items:
            kappas[f"{left} and {right}"] = kappa
    return kappas


def _alpha(
    field: str, units: dict[tuple[str, int], dict[str, Rated]], annotators: list[str]
) -> Coefficient:
    ratings = [
        [getattr(unit[who].answers, field) if who in unit else None for who in annotators]
        for unit in units.values()
    ]
    return krippendorff_alpha(ratings, "nominal" if field == "kind" else "ordinal")


def _responses(
    units: dict[tuple[str, int], dict[str, Rated]], annotators: list[str]
) -> list[LabelledResponse]:
    by_response: dict[str, dict[int, dict[str, Rated]]] = defaultdict(dict)
    for (example_id, number), unit in units.items():
        by_response[example_id][number] = unit
    labelled = []
    for example_id, parts in by_response.items():
        sentences = {
            number: majority([label(row.answers) for row in unit.values()])
            for number, unit in sorted(parts.items())
        }
        votes = {
            who: combine(label(unit[who].answers) for unit in parts.values() if who in unit)
            for who in annotators
        }
        ratings = [
            row.answers.cooperative
            for unit in parts.values()
            for row in unit.values()
            if row.answers.cooperative is not None
        ]
        mean = sum(ratings) / len(ratings) if ratings else None
        labelled.append(
            LabelledResponse(example_id, majority(list(votes.values())), votes, sentences, mean)
        )
    return labelled
