"""Measure small, large, both and a cascade, and choose their constants: `python -m training.panel`.

Rows are people's labels from the quarter that is kept for constants; no dev set is read. Each pair
is judged alone on one thread by both models, so that any share and any threshold follow from one
measurement.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from staytrue.backends.embedded import SHARE, EmbeddedBackend
from staytrue.backends.embedded.heads import mean
from staytrue.core.protocols import Grounding, Pair
from staytrue.stats.classification import roc_auc
from training.constants import labelled_items, labelled_pairs

SHARES = (0.35, 0.5, 0.65, 0.8)
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98)
# A cascade is worth it if it keeps this share of the AUC of both at twice their speed.
KEPT_AUC, SPEED_UP = 0.99, 2.0

Asked = TypeVar("Asked")


@dataclass(frozen=True, slots=True)
class Judged:
    """What one model says of every row, and what that takes."""

    chances: np.ndarray
    """A row per pair; the first column is entailment's."""
    seconds: np.ndarray


@dataclass(frozen=True, slots=True)
class Way:
    """A way of judging, as measured."""

    name: str
    asked_large: float
    """Share of the rows that the large model judges."""
    auc: float
    rows_per_second: float

    def line(self) -> str:
        return (
            f"| {self.name} | {self.asked_large:.2f} | {self.auc:.4f} "
            f"| {self.rows_per_second:.1f} |"
        )


def ways(small: Judged, large: Judged, supported: np.ndarray) -> Iterator[Way]:
    """Small, large, both by each share, and the cascade by each threshold."""

    def way(name: str, scores: np.ndarray, asked_large: np.ndarray, seconds: np.ndarray) -> Way:
        auc = roc_auc(scores, supported)
        assert auc is not None, "both classes occur"
        return Way(name, float(asked_large.mean()), auc, float(len(scores) / seconds.sum()))

    everywhere = np.ones(len(supported), bool)
    yield way("small", small.chances[:, 0], ~everywhere, small.seconds)
    yield way("large", large.chances[:, 0], everywhere, large.seconds)
    for share in SHARES:
        scores = _mean(small, large, share)
        yield way(f"both, share={share:g}", scores, everywhere, small.seconds + large.seconds)
    both = _mean(small, large, SHARE)
    for threshold in THRESHOLDS:
        unsure = small.chances.max(axis=1) < threshold
        scores = np.where(unsure, both, small.chances[:, 0])
        seconds = small.seconds + np.where(unsure, large.seconds, 0.0)
        yield way(f"cascade, sure={threshold:g}", scores, unsure, seconds)


def _mean(small: Judged, large: Judged, share: float) -> np.ndarray:
    rows = zip(small.chances.tolist(), large.chances.tolist(), strict=True)
    return np.array([mean(first, second, share)[0] for first, second in rows])


def chosen(ways: Sequence[Way]) -> Way | None:
    """The quickest cascade that keeps the AUC of both at twice their speed, if any."""
    both = next(way for way in ways if way.name == f"both, share={SHARE:g}")
    good = [
        way
        for way in ways
        if way.name.startswith("cascade")
        and way.auc >= KEPT_AUC * both.auc
        and way.rows_per_second >= SPEED_UP * both.rows_per_second
    ]
    return max(good, key=lambda way: way.rows_per_second, default=None)


def judged(
    ask: Callable[[Sequence[Asked]], Sequence[Sequence[float]]], asked: Sequence[Asked]
) -> Judged:
    """Ask for each row alone; the first number of an answer is entailment's."""
    ask(asked[:1])  # loads the model
    answers, seconds = [], []
    for item in asked:
        start = time.process_time()
        answers.append(ask([item])[0])
        seconds.append(time.process_time() - start)
    return Judged(np.array(answers), np.array(seconds))


def entailment(backend: EmbeddedBackend) -> Callable[[Sequence[Pair]], list[tuple[float, ...]]]:
    return lambda pairs: [
        (one.entailment, one.neutral, one.contradiction) for one in backend.infer(pairs)
    ]


def groundedness(
    backend: EmbeddedBackend,
) -> Callable[[Sequence[Grounding]], list[tuple[float, ...]]]:
    return lambda items: [
        (one["entailment"], *(chance for label, chance in one.items() if label != "entailment"))
        for one in backend.classify(items)
    ]


def show(title: str, ways: Sequence[Way]) -> None:
    print(f"\n## {title}\n\n| | large asked | ROC-AUC | rows/s, one core |\n|---|---|---|---|")
    for way in ways:
        print(way.line())
    best = chosen(ways)
    print(
        f"\n{best.name} keeps {KEPT_AUC:.0%} of the AUC at {SPEED_UP:g} times the speed."
        if best
        else f"\nNo cascade keeps {KEPT_AUC:.0%} of the AUC at {SPEED_UP:g} times the speed."
    )


def backends(large: Path | None) -> Iterator[EmbeddedBackend]:
    """Small, then large; new ones for each task, as they remember pairs."""
    yield EmbeddedBackend(size="small", threads=1)
    yield EmbeddedBackend(size="large", large=str(large or ""), threads=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=0, help="of each task; 0 for all")
    parser.add_argument("--large", type=Path, help="the large models; else the installed ones")
    options = parser.parse_args()
    pairs, supported = zip(*labelled_pairs(options.rows), strict=True)
    small, large = (judged(entailment(one), pairs) for one in backends(options.large))
    show(f"entailment, {len(pairs)} rows", list(ways(small, large, np.array(supported))))
    sys.stdout.flush()
    items, labels = zip(*labelled_items(options.rows), strict=True)
    small, large = (judged(groundedness(one), items) for one in backends(options.large))
    entailed = np.array(labels) == "entailment"
    show(f"groundedness, {len(items)} rows", list(ways(small, large, entailed)))


if __name__ == "__main__":
    main()
