from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from training import panel
from training.panel import Judged, Way

SUPPORTED = np.array([True, True, False, False])
SMALL = Judged(np.array([[0.9, 0.1], [0.45, 0.55], [0.03, 0.97], [0.6, 0.4]]), np.full(4, 0.01))
LARGE = Judged(
    np.array([[0.8, 0.2], [0.9, 0.1], [0.2, 0.8], [0.1, 0.9]]), np.array([0.1, 0.2, 0.1, 0.2])
)


def by_name() -> dict[str, Way]:
    return {way.name: way for way in panel.ways(SMALL, LARGE, SUPPORTED)}


def test_small_and_large_alone_are_measured_as_they_are() -> None:
    ways = by_name()
    assert (ways["small"].asked_large, ways["small"].auc) == (0.0, 0.75)
    assert ways["small"].rows_per_second == pytest.approx(100)
    assert (ways["large"].asked_large, ways["large"].auc) == (1.0, 1.0)
    assert ways["large"].rows_per_second == pytest.approx(4 / 0.6)


def test_both_are_asked_about_every_row_and_paid_for() -> None:
    way = by_name()["both, share=0.5"]
    assert (way.asked_large, way.auc) == (1.0, 1.0)
    assert way.rows_per_second == pytest.approx(4 / 0.64)


def test_a_cascade_pays_for_the_small_model_always_and_for_the_large_one_where_unsure() -> None:
    way = by_name()["cascade, sure=0.7"]
    assert way.asked_large == 0.5
    assert way.auc == 1.0, "rows 2 and 4 are judged by both"
    assert way.rows_per_second == pytest.approx(4 / (4 * 0.01 + 0.4))


def test_the_quickest_cascade_that_keeps_the_auc_at_twice_the_speed_is_chosen() -> None:
    ways = [
        Way("small", 0, 0.7, 100), Way(f"both, share={panel.SHARE:g}", 1, 0.9, 10),
        Way("cascade, sure=0.5", 0.1, 0.88, 60), Way("cascade, sure=0.7", 0.2, 0.895, 30),
        Way("cascade, sure=0.9", 0.3, 0.9, 22), Way("cascade, sure=0.98", 0.8, 0.9, 12),
    ]  # fmt: skip
    best = panel.chosen(ways)
    assert best is not None
    assert best.name == "cascade, sure=0.7"
    assert panel.chosen(ways[:3]) is None


def test_each_row_is_asked_alone() -> None:
    asked: list[Any] = []

    def ask(items: Any) -> list[tuple[float, ...]]:
        asked.append(list(items))
        return [(0.2, 0.7, 0.1) for _ in items]

    results = panel.judged(ask, ["a", "b"])
    assert asked == [["a"], ["a"], ["b"]], "the first one loads the model"
    assert results.chances.tolist() == [[0.2, 0.7, 0.1]] * 2
