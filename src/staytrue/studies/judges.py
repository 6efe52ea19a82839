"""Several runs over the same examples side by side, such as those of two backends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from staytrue.core.errors import RunError
from staytrue.core.records import Example, Verdict
from staytrue.runs.folder import Run
from staytrue.stats.annotators import cohen_kappa
from staytrue.stats.bootstrap import DRAWS, interval
from staytrue.stats.correlation import spearman
from staytrue.stats.intervals import Interval
from staytrue.studies.agreement import judged


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
    """How far two metrics agree on the examples that both scored."""

    a: str
    b: str
    n: int
    same: Interval | None
    """Share of examples on the same side of 0.5; None when there are no examples."""
    kappa: float | None
    """Cohen's kappa of the two sides; None when one metric puts all on one side."""
    spearman: float | None
    """Rank correlation of the scores; None when one metric scores all alike."""


def pairings(run: Run, *, seed: int = 0, draws: int = DRAWS) -> list[Pairing]:
    """Every two metrics of the run beside each other."""
    scores = {
        name: dict(zip(one.ids, one.scores, strict=True)) for name, one in judged(run).items()
    }
    return [_pairing(a, b, scores[a], scores[b], seed, draws) for a, b in combinations(scores, 2)]


def _pairing(
    a: str, b: str, one: dict[str, float], other: dict[str, float], seed: int, draws: int
) -> Pairing:
    common = [example_id for example_id in one if example_id in other]
    left = np.array([one[example_id] for example_id in common])
    right = np.array([other[example_id] for example_id in common])
    if not common:
        return Pairing(a, b, 0, None, None, None)
    same = (left > 0.5) == (right > 0.5)
    varied = len(set(left > 0.5)) == len(set(right > 0.5)) == 2
    return Pairing(
        a,
        b,
        len(common),
        interval(lambda i: float(same[i].mean()), len(common), seed=seed, draws=draws),
        cohen_kappa((left > 0.5).tolist(), (right > 0.5).tolist()).value if varied else None,
        spearman(left, right),
    )


def _texts(example: Example) -> tuple[str, str]:
    return example.response, example.knowledge
