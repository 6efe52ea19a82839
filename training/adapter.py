"""Teach a model that is done another task without changing it: small matrices beside its own.

A layer's matrix W stays as it is shipped; the task adds `up · down`, two matrices of a low rank
(LoRA, Hu et al., 2021), and has biases, norms and a head of its own. So the large model learns to
read while every verdict of its other heads stays the same to the last bit, and its package grows by
3 MB.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import torch

STRENGTH = 2.0
ADAPTED = ".down"


class AdaptedLinear(torch.nn.Linear):
    """A linear layer with a correction of a low rank."""

    down: torch.nn.Parameter
    up: torch.nn.Parameter

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        whole = torch.nn.functional.linear(input, self.weight, self.bias)
        inner = torch.nn.functional.linear(input, self.down)
        return whole + STRENGTH * torch.nn.functional.linear(inner, self.up)


def adapt(encoder: torch.nn.Module, rank: int) -> None:
    """Freeze every matrix of the encoder; each that was to be trained gets two small ones."""
    for linear in [one for one in encoder.modules() if type(one) is torch.nn.Linear]:
        trained = linear.weight.requires_grad
        linear.weight.requires_grad = False
        if trained:
            linear.__class__ = AdaptedLinear
            width = linear.in_features
            linear.down = torch.nn.Parameter(torch.randn(rank, width) / width**0.5)
            linear.up = torch.nn.Parameter(torch.zeros(linear.out_features, rank))


def rounded(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int8 with a scale for each row."""
    scales = np.abs(matrix).max(axis=1, keepdims=True) / 127
    scales[scales == 0] = 1.0
    return np.rint(matrix / scales).astype(np.int8), scales.astype(np.float16).astype(np.float32)


def stored(weights: dict[str, np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    """The arrays of the adapter's file; `staytrue.backends.embedded.encoder` reads them.

    The small inner side has one scale for each of its dimensions in both matrices.
    """
    for name in [name for name in weights if name.endswith(ADAPTED)]:
        layer = name.removesuffix(ADAPTED)
        down, down_scales = rounded(weights[name])
        up, up_scales = rounded(STRENGTH * weights[f"{layer}.up"].T)
        yield f"{layer}.down", down
        yield f"{layer}.up", up
        yield f"{layer}.rank_scales", down_scales * up_scales


def taken_back(stored: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The adapter of a file, rounded, as `adapt` names it; inner rows are about 1 long."""
    weights = {}
    for name in [name for name in stored if name.endswith(ADAPTED)]:
        layer = name.removesuffix(ADAPTED)
        down = stored[name].astype(np.float32)
        up = stored[f"{layer}.up"] * stored[f"{layer}.rank_scales"] / STRENGTH
        lengths = np.linalg.norm(down, axis=1, keepdims=True)
        lengths[lengths == 0] = 1.0
        weights[name] = down / lengths
        weights[f"{layer}.up"] = np.ascontiguousarray((up * lengths).T)
    return weights
