"""`python -m benchmarks.coverage`: how often a 95 % interval holds the truth, by simulation.

Each line draws many samples whose true figure is known and counts the intervals that hold it.
The percentile bootstrap, which we used before, stands beside ours.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from staytrue.stats import intervals
from staytrue.stats.classification import roc_auc
from staytrue.stats.intervals import Interval

SIZES = (10, 20, 50, 200)
RUNS = 2000
Sample = Callable[[np.random.Generator, int], "tuple[np.ndarray, np.ndarray, list[int] | None]"]


@dataclass(frozen=True)
class Population:
    """A kind of data whose true figure is known."""

    figure: str
    data: str
    truth: float
    draw: Sample
    """Scores, labels and dialogues of `n` rows."""


@dataclass(frozen=True)
class Coverage:
    """How often the interval of so many rows held the truth, and its mean width."""

    case: Population
    n: int
    share: float
    width: float
    percentile: float
    """The same for the percentile bootstrap, on fewer samples."""


def _plain(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, None]:
    return values, np.zeros(len(values), dtype=bool), None


def _proportion(p: float) -> Population:
    return Population("proportion", f"p = {p}", p, lambda rng, n: _plain((rng.random(n) < p) * 1.0))


def _mean(a: float, b: float, name: str) -> Population:
    return Population("mean", name, a / (a + b), lambda rng, n: _plain(rng.beta(a, b, n)))


def _three_values() -> Population:
    def draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, None]:
        return _plain(rng.choice([0.0, 0.5, 1.0], n, p=[0.2, 0.2, 0.6]))

    return Population("mean", "0, a half or 1", 0.7, draw)


def _area(area: float, share: float) -> Population:
    gap = NormalDist().inv_cdf(area) * 2**0.5

    def draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, None]:
        truth = rng.random(n) < share
        return rng.normal(size=n) + gap * truth, truth, None

    return Population("ROC-AUC", f"{area}, {share:.0%} consistent", area, draw)


def _dialogues(p: float, rows: int) -> Population:
    """A share of rows whose dialogues differ: each has a share of its own around p."""

    def draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, list[int]]:
        own = np.repeat(rng.beta(4 * p, 4 * (1 - p), n), rows)
        groups = np.repeat(np.arange(n), rows).tolist()
        return (rng.random(n * rows) < own) * 1.0, np.zeros(n * rows, dtype=bool), groups

    return Population("proportion", f"p = {p}, n dialogues of {rows} rows", p, draw)


CASES = (
    _proportion(0.05), _proportion(0.2), _proportion(0.5),
    _mean(2, 2, "scores around the middle"), _mean(5, 2, "scores on the good side"),
    _mean(2, 0.5, "most scores near 1"), _mean(0.5, 0.5, "scores at both ends"), _three_values(),
    _area(0.6, 0.5), _area(0.75, 0.5), _area(0.75, 0.25), _area(0.85, 0.5),
    _dialogues(0.3, 8),
)  # fmt: skip


def ours(
    case: Population, scores: np.ndarray, truth: np.ndarray, groups: list[int] | None
) -> Interval:
    """The interval that the product prints for this figure."""
    if case.figure == "ROC-AUC":
        return intervals.roc_auc(scores, truth, groups)
    if case.figure == "proportion":
        return intervals.share(scores > 0.5, groups)
    return intervals.mean(scores, groups)


def _percentile(
    case: Population, scores: np.ndarray, truth: np.ndarray, rng: np.random.Generator
) -> tuple[float, float]:
    picked = rng.integers(0, len(scores), size=(200, len(scores)))
    if case.figure == "ROC-AUC":
        areas = [roc_auc(scores[i], truth[i]) for i in picked]
        drawn = np.array([area for area in areas if area is not None])
    else:
        drawn = scores[picked].mean(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def coverage(
    case: Population, n: int, *, runs: int = RUNS, seed: int = 0, beside: bool = True
) -> Coverage:
    """Draw many samples and count; samples in which the figure is not defined are drawn again.

    `beside` counts for the percentile bootstrap too, which takes most of the time.
    """
    rng = np.random.default_rng([seed, n])
    held = tried = compared = by_percentile = 0
    width = 0.0
    while tried < runs:
        scores, truth, groups = case.draw(rng, n)
        interval = ours(case, scores, truth, groups)
        if interval.low is None or interval.high is None:
            continue
        tried += 1
        held += interval.low <= case.truth <= interval.high
        width += interval.high - interval.low
        if beside and tried % 10 == 0:
            low, high = _percentile(case, scores, truth, rng)
            compared += 1
            by_percentile += low <= case.truth <= high
    return Coverage(case, n, held / tried, width / tried, by_percentile / max(compared, 1))


def table(runs: int = RUNS) -> Iterator[Coverage]:
    """Every case at every size."""
    for case in CASES:
        for n in SIZES:
            yield coverage(case, n, runs=runs)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="samples per line")
    runs = parser.parse_args().runs
    print(f"{'figure':12}{'data':34}{'n':>5}{'ours':>8}{'width':>8}{'percentile':>12}")
    shares: dict[tuple[str, int], list[float]] = {}
    for one in table(runs):
        shares.setdefault((one.case.figure, one.n), []).append(one.share)
        print(f"{one.case.figure:12}{one.case.data:34}{one.n:5}{one.share:8.3f}{one.width:8.3f}"
              f"{one.percentile:12.3f}", flush=True)  # fmt: skip
    for (figure, n), values in shares.items():
        print(f"{figure:12}{'mean of the above':34}{n:5}{sum(values) / len(values):8.3f}")


if __name__ == "__main__":
    main()
