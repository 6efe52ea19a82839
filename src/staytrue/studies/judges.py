"""Several runs over the same examples side by side, such as those of two backends."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from staytrue.core.errors import RunError
from staytrue.core.records import Example, Verdict
from staytrue.runs.folder import Run
from staytrue.stats import intervals
from staytrue.stats.annotators import cohen_kappa
from staytrue.stats.correlation import spearman
from staytrue.stats.intervals import Interval
from staytrue.studies.agreement import judged

_PEOPLE = "people"


class JoinedRuns(Run):
    """The metrics of several runs as if one run had them all, on the examples of the first.

    A metric that two runs have is named after its folder: "nli (gpt)".
    """

    def __init__(self, first: Run, others: Sequence[Run]) -> None:
        super().__init__(first.folder)
        self._runs = (first, *others)
        self._names: list[dict[str, str]] = []
        self._signatures: dict[str, str] = {}
        for run in self._runs:
            named = {}
            for metric, signature in run.signatures.items():
                name = f"{metric} ({run.folder.name})" if metric in self._signatures else metric
                if name in self._signatures:
                    raise RunError(f"{run.folder} is named twice: name each run once.")
                named[metric] = name
                self._signatures[name] = signature
            self._names.append(named)
        texts = {example.id: _texts(example) for example in first.examples()}
        for run in others:
            self._check_examples(run, texts)

    @property
    def signatures(self) -> dict[str, str]:
        """Metric → signature, over all runs."""
        return self._signatures

    def examples(self) -> Iterator[Example]:
        """Those of the first run, with what people said there."""
        return self._runs[0].examples()

    def verdicts(self) -> Iterator[Verdict]:
        """Those of every run, under the joined names."""
        for run, named in zip(self._runs, self._names, strict=True):
            for verdict in run.verdicts():
                yield replace(verdict, metric=named[verdict.metric])

    def _check_examples(self, run: Run, texts: dict[str, tuple[str, str]]) -> None:
        shared = [example for example in run.examples() if example.id in texts]
        if not shared:
            raise RunError(
                f"{run.folder} shares no example with {self.folder}: score the same file."
            )
        for example in shared:
            if _texts(example) != texts[example.id]:
                raise RunError(
                    f"The example '{example.id}' has different texts in {run.folder} and "
                    f"{self.folder}: score the same file."
                )


@dataclass(frozen=True)
class Pairing:
    """How far a metric agrees with people, or with another metric, on what both judged."""

    a: str
    b: str
    """A metric, or "people": their yes or no."""
    n: int
    roc_auc: Interval | None
    """How well A's scores tell what people call consistent; None between two metrics."""
    same: Interval | None
    """Share of examples on the same side of 0.5; None when there are no examples."""
    kappa: float | None
    """Cohen's kappa of the two sides; None when one of them puts all on one side."""
    spearman: float | None
    """Rank correlation of the scores; None when one of them scores all alike."""


def pairings(
    run: Run, *, positive: Collection[str] = (), abstained_as: float | None = None
) -> list[Pairing]:
    """Every metric of the run beside people, if they said yes or no, then every two metrics."""
    scores: dict[str, dict[str, float]] = {}
    people: dict[str, float] = {}
    groups: dict[str, str] = {}
    for name, one in judged(run, positive=positive, abstained_as=abstained_as).items():
        scores[name] = dict(zip(one.ids, one.scores, strict=True))
        groups.update(zip(one.ids, one.groups, strict=True))
        labels = zip(one.ids, one.consistent, strict=True)
        people.update({id_: float(label) for id_, label in labels if label is not None})
    pairs = [
        *((name, _PEOPLE) for name in scores if people),
        *combinations(scores, 2),
    ]
    scores[_PEOPLE] = people
    return [_pairing(a, b, scores[a], scores[b], groups) for a, b in pairs]


def _pairing(
    a: str, b: str, one: dict[str, float], other: dict[str, float], groups: dict[str, str]
) -> Pairing:
    common = [example_id for example_id in one if example_id in other]
    if not common:
        return Pairing(a, b, 0, None, None, None, None)
    left = np.array([one[example_id] for example_id in common])
    right = np.array([other[example_id] for example_id in common])
    clusters = [groups[example_id] for example_id in common]
    sides = left > 0.5, right > 0.5
    varied = all(len(set(side)) == 2 for side in sides)
    return Pairing(
        a, b, len(common),
        roc_auc=intervals.roc_auc(left, sides[1], clusters) if b == _PEOPLE else None,
        same=intervals.share(sides[0] == sides[1], clusters),
        kappa=cohen_kappa(sides[0].tolist(), sides[1].tolist()).value if varied else None,
        spearman=spearman(left, right),
    )  # fmt: skip


def _texts(example: Example) -> tuple[str, str]:
    return example.response, example.knowledge
