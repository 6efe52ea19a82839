"""Training with weights rounded as they are shipped."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch
from training.four_bits import pack
from training.rounding import round_weights

from staytrue.backends.embedded.encoder import unpack

pytestmark = pytest.mark.torch


def two_layers() -> torch.nn.Sequential:
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Linear(32, 2))
    model[0].weight.requires_grad = False
    return model


def shipped(weight: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(unpack(*pack(weight.detach().numpy())))


def test_every_pass_uses_the_weights_that_would_be_shipped() -> None:
    model = two_layers()
    value = torch.randn(3, 64)
    first, last = model
    inner = value @ shipped(first.weight).T + first.bias
    expected = inner @ shipped(last.weight).T + last.bias
    round_weights(model)
    assert torch.allclose(model(value), expected, atol=1e-6)


def test_training_moves_the_weights_behind_the_rounded_ones() -> None:
    model = two_layers()
    (trained,) = round_weights(model)
    before = trained.weight.detach().clone()
    model(torch.randn(3, 64)).sum().backward()
    assert trained.weight.grad is not None
    assert trained.weight.grad.abs().sum() > 0
    with torch.no_grad():
        trained.weight -= 1e-4 * trained.weight.grad
    assert not torch.equal(trained.weight, before), "steps smaller than a code add up"


def test_scales_follow_the_weights_when_they_are_chosen_anew() -> None:
    model = two_layers()
    (trained,) = round_weights(model)
    with torch.no_grad():
        trained.weight *= 3
    trained.choose_scales()
    value = torch.randn(2, 32)
    assert torch.allclose(
        trained(value), value @ shipped(trained.weight).T + trained.bias, atol=1e-5
    )


def test_what_is_saved_keeps_its_names() -> None:
    model = two_layers()
    names = list(model.state_dict())
    round_weights(model)
    assert list(model.state_dict()) == names
