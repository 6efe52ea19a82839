"""Regressions from JSON files."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.metrics.regression import RegressionWeights, shipped_name, sigmoid, softmax


def test_logits_are_weighed_standardised_values():
    weights = RegressionWeights((1.0, 0.0), (2.0, 1.0), ((1.0, 3.0), (0.0, 1.0)), (0.5, 0.0))
    assert weights.logits([3.0, 2.0]) == [0.5 + 1.0 + 6.0, 2.0]


def test_a_wrong_number_of_values_is_an_error():
    with pytest.raises(ValueError, match="zip"):
        RegressionWeights((0.0,), (1.0,), ((1.0,),), (0.0,)).logits([1.0, 2.0])


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=6))
def test_softmax_sums_to_one_and_keeps_the_order(logits):
    chances = softmax(logits)
    assert math.isclose(sum(chances), 1)
    assert chances.index(max(chances)) == max(range(len(logits)), key=lambda n: chances[n])


def test_sigmoid_is_symmetric_and_never_overflows():
    assert sigmoid(0) == 0.5
    assert sigmoid(1e9) + sigmoid(-1e9) == pytest.approx(1)


def test_the_name_of_shipped_weights_tells_their_content_or_that_they_are_missing():
    assert shipped_name("no-such-file.json") == "silver@missing"
