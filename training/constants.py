"""Rows that thresholds and temperatures are chosen on, from the quarter that is kept for them."""

from __future__ import annotations

import random
from typing import TypeVar

from staytrue.core.protocols import Grounding, Pair
from training import splits
from training.mixed_data import AUDIT_LABELS

Row = TypeVar("Row")


def labelled_pairs(rows: int = 0) -> list[tuple[Pair, bool]]:
    """Responses and claims with their knowledge, and whether it supports them; 0 takes all."""
    pairs = [
        (Pair(row["knowledge"], row["response"]), row["label"] == "entailment")
        for row in splits.audit("constants")
        if row["label"] in AUDIT_LABELS
    ]
    pairs += [
        (Pair(row["knowledge"], row["response"]), bool(row["consistent"]))
        for row in splits.grounded_claims("constants")
    ]
    return _some(pairs, rows)


def labelled_items(rows: int = 0) -> list[tuple[Grounding, str]]:
    """Responses with knowledge and the turn before, and their BEGIN label; 0 takes all."""
    items = [
        (
            Grounding(row["knowledge"], str((row["history"] or [""])[-1]), row["response"]),
            AUDIT_LABELS[row["label"]][1],
        )
        for row in splits.audit("constants")
        if row["label"] in AUDIT_LABELS
    ]
    return _some(items, rows)


def _some(everything: list[Row], rows: int) -> list[Row]:
    return random.Random(1).sample(everything, min(rows, len(everything))) if rows else everything
