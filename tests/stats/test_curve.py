"""The curve shows both classes at every threshold."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from staytrue.stats.curve import curve


def test_a_score_equal_to_the_threshold_counts_as_inconsistent() -> None:
    point = curve(np.array([0.5, 0.9]), np.array([False, True]), [0.5])[0]
    assert point.consistent.precision == 1.0
    assert point.inconsistent.recall == 1.0
    assert point.accuracy == 1.0


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30))
def test_recall_falls_for_one_class_and_rises_for_the_other(rows: list[tuple[float, bool]]) -> None:
    scores, labels = np.array([s for s, _ in rows]), np.array([c for _, c in rows])
    points = curve(scores, labels)
    falling = [p.consistent.recall for p in points if p.consistent.recall is not None]
    rising = [p.inconsistent.recall for p in points if p.inconsistent.recall is not None]
    assert falling == sorted(falling, reverse=True)
    assert rising == sorted(rising)
