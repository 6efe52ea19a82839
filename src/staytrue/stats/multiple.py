"""Several tests at once: p-values corrected so that one false alarm in all of them is rare."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction (1979), in the order given; a single p stays as it is."""
    order = sorted(range(len(p_values)), key=lambda n: p_values[n])
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = largest
    return corrected
