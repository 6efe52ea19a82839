from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch
from training.bundles import ALONE
from training.contrast import WEIGHT, contrast_loss

pytestmark = pytest.mark.torch

ENTAILS = [4.0, 0.0, 0.0]
DENIES = [0.0, 0.0, 4.0]


def loss(logits: list[list[float]], labels: list[int], bundles: list[int]) -> float:
    own = torch.tensor(logits), torch.tensor(labels), torch.tensor(bundles)
    return float(contrast_loss(*own))


def test_a_bundle_that_is_told_apart_costs_less_than_one_that_is_mixed_up() -> None:
    right = loss([ENTAILS, DENIES], [0, 2], [1, 1])
    wrong = loss([DENIES, ENTAILS], [0, 2], [1, 1])
    even = loss([ENTAILS, ENTAILS], [0, 2], [1, 1])
    assert right < even < wrong


def test_passages_that_look_alike_cost_log_two_per_question() -> None:
    expected = WEIGHT * 2 * torch.log(torch.tensor(2.0)).item()
    assert loss([ENTAILS, ENTAILS], [0, 2], [1, 1]) == pytest.approx(expected)


def test_rows_alone_with_equal_labels_or_with_open_labels_cost_nothing() -> None:
    assert loss([ENTAILS, DENIES], [0, 2], [ALONE, ALONE]) == 0
    assert loss([ENTAILS, DENIES], [0, 0], [1, 1]) == 0
    assert loss([ENTAILS, DENIES], [0, 3], [1, 1]) == 0
    assert loss([ENTAILS, DENIES], [0, 2], [1, 2]) == 0


def test_the_order_of_the_rows_makes_no_difference() -> None:
    rows = [ENTAILS, [1.0, 2.0, 0.0], DENIES, [0.5, 0.5, 3.0]]
    labels, bundles = [0, 1, 2, 0], [1, 2, 1, 2]
    order = [2, 3, 1, 0]
    shuffled = loss([rows[n] for n in order], [labels[n] for n in order],
                    [bundles[n] for n in order])  # fmt: skip
    assert loss(rows, labels, bundles) == pytest.approx(shuffled)
