"""Rows of BEGIN's table: accuracy and macro-F1 on three and on five classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from staytrue.core.begin_labels import COARSE, COARSE_LABELS, LABELS
from staytrue.stats import classification


@dataclass(frozen=True)
class AccuracyRow:
    """Accuracy and macro-F1 on the three-way and the five-way task; None where it has no figure."""

    name: str
    figures: tuple[float | None, ...]


def figures(
    predicted: Sequence[str], actual: Sequence[str], labels: Sequence[str]
) -> tuple[float, float]:
    """Accuracy, and the mean F1 of all the classes, as the paper computes it."""
    right = float(np.mean([p == a for p, a in zip(predicted, actual, strict=True)]))
    guess, truth = np.array(predicted), np.array(actual)
    each = [
        classification.class_figures(guess == label, truth == label).f1 or 0.0 for label in labels
    ]
    return right, float(np.mean(each))


def three_way(labels: Sequence[str]) -> list[str]:
    return [COARSE.get(label, label) for label in labels]


def row(
    name: str, actual: Sequence[str], five: Sequence[str] | None, three: Sequence[str]
) -> AccuracyRow:
    coarse = figures(three, three_way(actual), COARSE_LABELS)
    fine = figures(five, actual, LABELS) if five is not None else (None, None)
    return AccuracyRow(name, (*coarse, *fine))


def kept_row(name: str, file: Path) -> AccuracyRow:
    """The row of a variant that is not at hand, as the page has it."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    old = next((line for line in lines if line.startswith(f"| {name} |")), "")
    cells = [cell.strip() for cell in old.split("|")[2:-1]] or [""] * 4
    return AccuracyRow(name, tuple(float(cell) if cell else None for cell in cells))
