"""How far annotators agree: Krippendorff's α, Fleiss' κ, Cohen's κ, majority, human accuracy.

Ratings are one row per item and one column per annotator; None is a missing rating.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np

from staytrue.core.errors import UsageError

Level = Literal["nominal", "ordinal", "interval"]
Label = TypeVar("Label", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient, or None and why there is none."""

    value: float | None
    reason: str = ""
    items: int = 0
    """Items that at least two annotators rated."""


def krippendorff_alpha(
    ratings: Sequence[Sequence[Hashable | None]],
    level: Level = "nominal",
    order: Sequence[Hashable] | None = None,
) -> Coefficient:
    """Krippendorff's α: 1 is perfect agreement, 0 what chance gives; missing ratings are fine.

    For "ordinal", `order` lists the values from low to high (numbers need none); for "interval"
    the values are numbers. After Krippendorff (2011), "Computing Krippendorff's
    Alpha-Reliability".
    """
    units = [[value for value in row if value is not None] for row in ratings]
    units = [unit for unit in units if len(unit) > 1]
    if not units:
        return Coefficient(None, "No item has two ratings.")
    values = _values(units, level, order)
    coincidence = _coincidences(units, values)
    totals = coincidence.sum(axis=1)
    pairs = totals.sum()
    distance = _distances(values, totals, level)
    observed = float((coincidence * distance).sum())
    expected = float((np.outer(totals, totals) * distance).sum() / (pairs - 1))
    if expected == 0:
        return Coefficient(
            None, "All ratings are the same, so chance agreement is total.", len(units)
        )
    return Coefficient(1 - observed / expected, items=len(units))


def fleiss_kappa(ratings: Sequence[Sequence[Hashable]]) -> Coefficient:
    """Fleiss' κ; every item needs the same number of ratings, whoever gave them (Fleiss, 1971)."""
    sizes = {len(row) for row in ratings}
    if any(value is None for row in ratings for value in row) or len(sizes) > 1:
        raise UsageError(
            "Fleiss' kappa needs equal numbers of ratings per item: use Krippendorff's alpha."
        )
    if not ratings or sizes == {0} or sizes == {1}:
        return Coefficient(None, "No item has two ratings.")
    count = sizes.pop()
    counts = [Counter(row) for row in ratings]
    shares = Counter(value for row in ratings for value in row)
    total = len(ratings) * count
    expected = sum((n / total) ** 2 for n in shares.values())
    observed = sum(
        (sum(n * n for n in row.values()) - count) / (count * (count - 1)) for row in counts
    ) / len(ratings)
    return _beyond_chance(observed, expected, len(ratings))


def cohen_kappa(
    left: Sequence[Hashable | None],
    right: Sequence[Hashable | None],
    weights: Literal["none", "linear", "quadratic"] = "none",
    order: Sequence[Hashable] | None = None,
) -> Coefficient:
    """Cohen's κ of two annotators, on the items that both rated (Cohen, 1960).

    Weighted κ (Cohen, 1968) forgives small steps on a scale; `order` lists its values from low to
    high. Without it the values that occur are the scale, sorted.
    """
    both = [(a, b) for a, b in zip(left, right, strict=True) if a is not None and b is not None]
    if not both:
        return Coefficient(None, "The two annotators have no item in common.")
    if weights == "none":
        observed = sum(a == b for a, b in both) / len(both)
        first, second = Counter(a for a, _ in both), Counter(b for _, b in both)
        expected = sum(first[value] * second[value] for value in first) / len(both) ** 2
        return _beyond_chance(observed, expected, len(both))
    values = _values(
        [list(pair) for pair in both], "nominal" if order is None else "ordinal", order
    )
    if order is not None:
        values = list(order)  # a step over a value that nobody chose is a step all the same
    column = {value: number for number, value in enumerate(values)}
    table = np.zeros((len(values), len(values)))
    for a, b in both:
        table[column[a], column[b]] += 1 / len(both)
    steps = np.abs(np.subtract.outer(np.arange(len(values)), np.arange(len(values))))
    cost = steps if weights == "linear" else steps**2
    chance = float((np.outer(table.sum(axis=1), table.sum(axis=0)) * cost).sum())
    if chance == 0:
        return Coefficient(
            None, "All ratings are the same, so chance agreement is total.", len(both)
        )
    return Coefficient(1 - float((table * cost).sum()) / chance, items=len(both))


def majority(votes: Sequence[Label | None]) -> Label | None:
    """The value that most annotators chose; None for a tie or no votes."""
    counts = Counter(vote for vote in votes if vote is not None).most_common(2)
    if not counts or (len(counts) > 1 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


def human_accuracy(
    ratings: Sequence[Sequence[Hashable | None]],
    merge: Mapping[Any, Hashable] | None = None,
) -> Coefficient:
    """Share of single ratings that equal the majority of their item (BEGIN, section 6).

    Items without a majority, or with fewer than three ratings, do not count. `merge` maps fine
    labels to coarse ones first, as from five classes to three.
    """
    right = total = items = 0
    for row in ratings:
        votes = [(merge or {}).get(value, value) for value in row if value is not None]
        winner = majority(votes)
        if winner is None or len(votes) < 3:
            continue
        items += 1
        total += len(votes)
        right += sum(vote == winner for vote in votes)
    if not total:
        return Coefficient(None, "No item has three ratings and a majority.")
    return Coefficient(right / total, items=items)


def _beyond_chance(observed: float, expected: float, items: int) -> Coefficient:
    if expected == 1:
        return Coefficient(None, "All ratings are the same, so chance agreement is total.", items)
    return Coefficient((observed - expected) / (1 - expected), items=items)


def _values(
    units: list[list[Hashable]], level: Level, order: Sequence[Hashable] | None
) -> list[Hashable]:
    seen = {value for unit in units for value in unit}
    if order is not None:
        unknown = seen - set(order)
        if unknown:
            raise UsageError(
                f"The rating {sorted(map(str, unknown))[0]!r} is not in the order given."
            )
        return [value for value in order if value in seen]
    if level != "nominal" and not all(isinstance(value, (int, float)) for value in seen):
        raise UsageError(f"An {level} scale needs numbers, or for ordinal ones an order.")
    return sorted(seen, key=lambda v: (float(v) if isinstance(v, (int, float)) else 0.0, str(v)))


def _coincidences(units: list[list[Hashable]], values: list[Hashable]) -> np.ndarray:
    """How often each pair of values meets in an item, each item weighing as its ratings."""
    column = {value: number for number, value in enumerate(values)}
    matrix = np.zeros((len(values), len(values)))
    for unit in units:
        counts = np.zeros(len(values))
        for value in unit:
            counts[column[value]] += 1
        matrix += (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    return matrix


def _distances(values: list[Hashable], totals: np.ndarray, level: Level) -> np.ndarray:
    """Squared difference of each pair of values on the given scale."""
    size = len(values)
    if level == "nominal":
        return 1.0 - np.eye(size)
    if level == "interval":
        numbers = np.array(values, dtype=float)
    else:
        # The distance of two ranks is the number of ratings between them, each end by half.
        numbers = np.cumsum(totals) - totals / 2
    squares: np.ndarray = (numbers[:, None] - numbers[None, :]) ** 2
    return squares
