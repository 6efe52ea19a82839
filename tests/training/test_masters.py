"""Training with master weights behind those in bfloat16, or rounded as they are shipped."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch
from training.masters import MasterWeights
from training.steps import pack, unpack

pytestmark = pytest.mark.torch


class TwoLayers(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.encoder = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Linear(32, 32))
        self.head = torch.nn.Linear(32, 2)
        self.encoder[0].weight.requires_grad = False

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        answer: torch.Tensor = self.head(self.encoder(value))
        return answer


def shipped(weight: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(unpack(*pack(weight.detach().numpy())))


def test_a_rounded_model_works_with_the_weights_that_would_be_shipped() -> None:
    model = TwoLayers()
    value = torch.randn(3, 64)
    first, last = model.encoder
    inner = value @ shipped(first.weight).T + first.bias
    expected = model.head(inner @ shipped(last.weight).T + last.bias)
    MasterWeights(model, rounded=True)
    assert torch.allclose(model(value), expected, atol=1e-6)


def test_heads_are_not_rounded() -> None:
    model = TwoLayers()
    before = model.head.weight.detach().clone()
    MasterWeights(model, rounded=True)
    assert torch.equal(model.head.weight, before)


@pytest.mark.parametrize("form", ["bfloat16", "rounded"])
def test_steps_too_small_for_the_model_add_up_in_its_masters(form: str) -> None:
    model = TwoLayers()
    masters = MasterWeights(model, bfloat16=form == "bfloat16", rounded=form == "rounded")
    name = "encoder.1.weight"
    before = model.encoder[1].weight.detach().clone()
    for _ in range(3):
        model(torch.randn(3, 64, dtype=before.dtype)).float().sum().backward()
        masters.take_gradients()
        gradient = masters.weights[name].grad
        assert gradient is not None
        assert gradient.abs().sum() > 0
        with torch.no_grad():
            masters.weights[name] += 1e-6
        masters.write()
    unchanged = model.encoder[1].weight.detach() == before
    assert unchanged.float().mean() > 0.9
    with torch.no_grad():
        masters.weights[name] += 1e-1
    masters.write()
    assert not torch.equal(model.encoder[1].weight, before)


def test_scales_follow_the_weights_when_they_are_chosen_anew() -> None:
    model = TwoLayers()
    masters = MasterWeights(model, rounded=True)
    with torch.no_grad():
        masters.weights["encoder.1.weight"] *= 3
    masters.choose_scales()
    masters.write()
    wanted = shipped(masters.weights["encoder.1.weight"])
    assert torch.allclose(model.encoder[1].weight, wanted, atol=1e-5)


def test_frozen_weights_have_no_masters() -> None:
    masters = MasterWeights(TwoLayers())
    assert set(masters.weights) == {
        "encoder.0.bias", "encoder.1.weight", "encoder.1.bias", "head.weight", "head.bias",
    }  # fmt: skip
