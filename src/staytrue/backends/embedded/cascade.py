"""Two judges in a row: the small one decides where it is sure, the large one the rest."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from staytrue.backends.embedded.judging import Judge
from staytrue.core.protocols import Entailment, Grounding, Pair

Asked = TypeVar("Asked", bound=Hashable)
Given = TypeVar("Given")


class Cascade:
    """Judges as `Judge` does; `sure` is the probability from which the small judge's label counts.

    Whether a pair goes to the large judge depends on nothing but that pair.
    """

    def __init__(self, small: Judge, large: Judge, sure: float) -> None:
        self._small, self._large, self._sure = small, large, sure

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        """Entailment, neutral, contradiction."""
        return self._both(pairs, self._small.infer, self._large.infer, _most_of_three)

    def classify(self, items: Sequence[Grounding]) -> list[dict[str, float]]:
        """BEGIN's five classes, by name."""
        return self._both(
            items, self._small.classify, self._large.classify, lambda chances: max(chances.values())
        )

    def _both(
        self,
        asked: Sequence[Asked],
        small: Callable[[Sequence[Asked]], list[Given]],
        large: Callable[[Sequence[Asked]], list[Given]],
        surest: Callable[[Given], float],
    ) -> list[Given]:
        judged = small(asked)
        open_places = [n for n, given in enumerate(judged) if surest(given) < self._sure]
        again = large([asked[place] for place in open_places])
        for place, given in zip(open_places, again, strict=True):
            judged[place] = given
        return judged


def _most_of_three(given: Entailment) -> float:
    return max(given.entailment, given.neutral, given.contradiction)
