"""Holm's correction, against another implementation (statsmodels)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.stats.multiple import holm


@pytest.mark.slow
@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=20))
def test_corrected_p_values_are_those_of_statsmodels(p_values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


def test_a_single_test_needs_no_correction() -> None:
    assert holm([0.04]) == [0.04]
    assert holm([]) == []
