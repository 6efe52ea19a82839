"""The mean of two judges: laws that hold for any two sets of probabilities."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.backends.embedded.heads import mean

chances = st.lists(st.floats(0.001, 1), min_size=3, max_size=3).map(
    lambda raw: [one / sum(raw) for one in raw]
)


@given(chances, chances, st.floats(0, 1))
def test_the_mean_is_again_a_set_of_probabilities(first, second, share) -> None:
    assert sum(mean(first, second, share)) == pytest.approx(1)


@given(chances, chances)
def test_a_share_of_none_is_the_first_and_of_all_the_second(first, second) -> None:
    assert mean(first, second, 0) == pytest.approx(first)
    assert mean(first, second, 1) == pytest.approx(second)


@given(chances, st.floats(0, 1))
def test_judges_who_agree_are_not_changed(first, share) -> None:
    assert mean(first, first, share) == pytest.approx(first)


def test_a_label_that_one_judge_rules_out_is_improbable() -> None:
    assert mean([0.0, 0.5, 0.5], [0.98, 0.01, 0.01], 0.5)[0] < 0.02
