"""Every metric, and what its `results` gives, is imported from one place, which loads lazily."""

from __future__ import annotations

import subprocess
import sys

import pytest

from staytrue import metrics


@pytest.mark.parametrize("name", metrics.__all__)
def test_every_name_is_found_under_its_own_name(name: str) -> None:
    assert getattr(metrics, name).__name__ == name


def test_results_are_exported_beside_their_metrics() -> None:
    results = {name for name in metrics.__all__ if name.endswith("Result")}
    assert results == {"BeginResult", "ConsistencyResult", "NliResult", "Q2Result"}


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Q3'"):
        metrics.Q3  # noqa: B018


def test_importing_the_metrics_loads_none_of_them() -> None:
    code = (
        "import sys, staytrue.metrics; print([m for m in sys.modules if 'staytrue.metrics.' in m])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
