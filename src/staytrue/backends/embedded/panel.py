"""Two judges of one pair: the small one alone where it is sure, else the mean of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from staytrue.backends.embedded.judging import Judge
from staytrue.core.begin_labels import LABELS
from staytrue.core.protocols import Entailment, Grounding, Pair

Asked = TypeVar("Asked", bound=Hashable)

_LEAST = 1e-6


class Panel:
    """Judges as `Judge` does, with two judges that err on different pairs.

    The mean is of the logarithms, as one judge that rules a label out should be heard; `share` is
    what the large judge counts. From a probability of `sure` the small judge's label stands, and
    the large one is not asked; above 1 it is always asked. What happens to a pair depends on
    nothing but that pair.
    """

    def __init__(self, small: Judge, large: Judge, *, share: float, sure: float) -> None:
        self._small, self._large, self._share, self._sure = small, large, share, sure

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        """Entailment, neutral, contradiction."""

        def three(judge: Judge, asked: Sequence[Pair]) -> list[list[float]]:
            answers = judge.infer(asked)
            return [[one.entailment, one.neutral, one.contradiction] for one in answers]

        return [Entailment(*chances) for chances in self._judge(pairs, three)]

    def classify(self, items: Sequence[Grounding]) -> list[dict[str, float]]:
        """BEGIN's five classes, by name."""

        def five(judge: Judge, asked: Sequence[Grounding]) -> list[list[float]]:
            return [[one[label] for label in LABELS] for one in judge.classify(asked)]

        return [dict(zip(LABELS, chances, strict=True)) for chances in self._judge(items, five)]

    def _judge(
        self,
        asked: Sequence[Asked],
        chances_of: Callable[[Judge, Sequence[Asked]], list[list[float]]],
    ) -> list[list[float]]:
        judged = chances_of(self._small, asked)
        unsure = [n for n, chances in enumerate(judged) if max(chances) < self._sure]
        again = chances_of(self._large, [asked[n] for n in unsure])
        for n, chances in zip(unsure, again, strict=True):
            judged[n] = mean(judged[n], chances, self._share)
        return judged


def mean(first: Sequence[float], second: Sequence[float], share: float) -> list[float]:
    """The weighted geometric mean of two sets of probabilities, which again sum to one."""
    powers = [
        math.exp((1 - share) * math.log(max(a, _LEAST)) + share * math.log(max(b, _LEAST)))
        for a, b in zip(first, second, strict=True)
    ]
    return [power / sum(powers) for power in powers]
