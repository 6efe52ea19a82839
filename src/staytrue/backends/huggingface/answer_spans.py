"""From a reader's logits to an answer, as SQuAD 2.0 models are read: pure arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MOST_ANSWER_TOKENS = 30
_BEST = 20


@dataclass(frozen=True, slots=True)
class Window:
    """The logits of one stretch of a passage; `offsets` is None for tokens that are not in it."""

    start: np.ndarray
    end: np.ndarray
    offsets: Sequence[tuple[int, int] | None]


@dataclass(frozen=True, slots=True)
class BestAnswer:
    """The best answer over all windows, and how it compares with "no answer"."""

    span: tuple[int, int] | None
    confidence: float


def best_answer(windows: Sequence[Window]) -> BestAnswer:
    """The span with the highest score, or none when the first token's score beats it."""
    best, best_span = -math.inf, None
    null = math.inf
    for window in windows:
        # The first token stands for "no answer"; all windows must agree that there is none.
        null = min(null, float(window.start[0] + window.end[0]))
        score, span = _best_span(window)
        if span is not None and score > best:
            best, best_span = score, span
    if best_span is None:
        return BestAnswer(None, 1.0)
    chance = 1 / (1 + math.exp(min(50.0, max(-50.0, null - best))))
    return BestAnswer(best_span, chance) if best > null else BestAnswer(None, 1 - chance)


def _best_span(window: Window) -> tuple[float, tuple[int, int] | None]:
    inside = np.array([offset is not None for offset in window.offsets])
    if not inside.any():
        return -math.inf, None
    starts = _top(np.where(inside, window.start, -np.inf))
    ends = _top(np.where(inside, window.end, -np.inf))
    best: tuple[float, tuple[int, int] | None] = (-math.inf, None)
    for first in starts:
        for last in ends:
            left, right = window.offsets[first], window.offsets[last]
            if left is None or right is None or not first <= last < first + MOST_ANSWER_TOKENS:
                continue
            score = float(window.start[first] + window.end[last])
            if score > best[0] and right[1] > left[0]:
                best = (score, (left[0], right[1]))
    return best


def _top(values: np.ndarray) -> list[int]:
    return [int(n) for n in np.argsort(-values, kind="stable")[:_BEST]]
