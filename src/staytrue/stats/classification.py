"""Agreement with yes/no labels and with classes: pure arithmetic on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from staytrue.stats.ranks import ranks


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """Precision, recall and F1 of one class; None where nothing was predicted or present."""

    precision: float | None
    recall: float | None
    f1: float | None


def roc_auc(scores: np.ndarray, positive: np.ndarray) -> float | None:
    """Chance that a positive scores above a negative, ties half; None with one class only."""
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    if not n_positive or not n_negative:
        return None
    total = ranks(scores)[positive].sum()
    return float((total - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative))


def average_precision(scores: np.ndarray, positive: np.ndarray) -> float | None:
    """Area under precision over recall, by steps; None with one class only."""
    if not positive.any() or positive.all():
        return None
    hits, alarms = hits_and_alarms(scores, positive)
    gained = np.diff(np.concatenate([[0.0], hits])) / hits[-1]
    return float(np.sum(gained * hits / (hits + alarms)))


def hits_and_alarms(scores: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positives and negatives at or above each score, from the highest score down."""
    order = np.argsort(-scores, kind="stable")
    ordered, labels = scores[order], positive[order]
    last_of_tie = np.append(np.flatnonzero(np.diff(ordered)), len(ordered) - 1)
    counts = np.cumsum(labels), np.cumsum(~labels)
    return counts[0][last_of_tie].astype(float), counts[1][last_of_tie].astype(float)


def accuracy(scores: np.ndarray, positive: np.ndarray, threshold: float = 0.5) -> float | None:
    """Share judged right when a score above the threshold means consistent."""
    return float(np.mean((scores > threshold) == positive)) if len(scores) else None


def best_threshold(scores: np.ndarray, positive: np.ndarray) -> float:
    """The threshold of the highest accuracy; the lowest one among equals."""
    order = np.argsort(scores, kind="stable")
    ordered, labels = scores[order], positive[order]
    # Right with the first k items called inconsistent: negatives among them, positives after.
    right = np.concatenate([[0], np.cumsum(~labels)]) + np.concatenate(
        [np.cumsum(labels[::-1])[::-1], [0]]
    )
    allowed = np.concatenate([[True], ordered[1:] != ordered[:-1], [True]])
    best = int(np.argmax(np.where(allowed, right, -1)))
    if best == 0:
        return float(ordered[0]) - 1e-9 if len(ordered) else 0.5
    if best == len(ordered):
        return float(ordered[-1])
    return float((ordered[best - 1] + ordered[best]) / 2)


def class_figures(predicted: np.ndarray, actual: np.ndarray) -> ClassFigures:
    """Figures of the class that both arrays mark as true."""
    both = int((predicted & actual).sum())
    n_predicted, n_actual = int(predicted.sum()), int(actual.sum())
    return ClassFigures(
        both / n_predicted if n_predicted else None,
        both / n_actual if n_actual else None,
        2 * both / (n_predicted + n_actual) if n_predicted + n_actual else None,
    )


def macro_f1(predicted: Sequence[str], actual: Sequence[str]) -> float | None:
    """Mean F1 over the classes that people used."""
    guessed, truth = np.array(predicted), np.array(actual)
    figures = [class_figures(guessed == name, truth == name).f1 for name in sorted(set(actual))]
    return float(np.mean([f1 or 0.0 for f1 in figures])) if figures else None


def confusion(predicted: Sequence[str], actual: Sequence[str]) -> dict[str, dict[str, int]]:
    """Counts by people's class, then by predicted class."""
    table: dict[str, dict[str, int]] = {}
    for guess, truth in zip(predicted, actual, strict=True):
        row = table.setdefault(truth, {})
        row[guess] = row.get(guess, 0) + 1
    return {name: dict(sorted(row.items())) for name, row in sorted(table.items())}
