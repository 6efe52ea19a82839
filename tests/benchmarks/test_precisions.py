"""The arithmetic of the shipped models beside others, in small."""

from __future__ import annotations

import pytest


@pytest.mark.slow
def test_every_way_takes_longer_for_a_longer_text() -> None:
    pytest.importorskip("onnx")
    from benchmarks import precisions

    times = precisions.times(2)
    assert list(times)[:3] == [
        "small, 7 bits (as shipped)", "small, 8 bits", "small, single precision",
    ]  # fmt: skip
    assert all(0 < short < long for short, long in times.values())
