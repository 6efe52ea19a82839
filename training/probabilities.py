"""Arithmetic on probabilities that needs no model."""

from __future__ import annotations

import numpy as np


def log_softmax(logits: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    result: np.ndarray = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return result


def expected_calibration_error(
    probabilities: np.ndarray, right: np.ndarray, bins: int = 15
) -> float:
    """Mean distance between confidence and accuracy over equally wide bins of confidence."""
    places = np.minimum((probabilities * bins).astype(int), bins - 1)
    gaps = [
        abs(probabilities[places == one].mean() - right[places == one].mean())
        * (places == one).mean()
        for one in np.unique(places)
    ]
    return float(sum(gaps))
