"""A loss that asks which of two passages supports the claim that they are a bundle with.

Cross-entropy asks of each row alone whether its label is likely. Told apart by what the two rows
do not share, a claim's own words and topic cannot help (instance bundles: Dua et al., 2021).
"""

from __future__ import annotations

import torch
from torch.nn import functional

from training.bundles import ALONE

WEIGHT = 0.5
ENTAILMENT, CONTRADICTION = 0, 2


def contrast_loss(
    logits: torch.Tensor, labels: torch.Tensor, bundles: torch.Tensor
) -> torch.Tensor:
    """How far the entailing (contradicting) passage is from being preferred; a sum over bundles."""
    logs = functional.log_softmax(logits, dim=-1)
    order = torch.argsort(bundles, stable=True)
    first, second = order[:-1], order[1:]
    together = (bundles[first] == bundles[second]) & (bundles[first] != ALONE)
    first, second = first[together], second[together]
    total = logits.new_zeros(())
    for label in (ENTAILMENT, CONTRADICTION):
        # A label that leaves others open (codes above 2) says too little to be told apart.
        clear = (labels[first] < 3) & (labels[second] < 3)
        differ = clear & ((labels[first] == label) != (labels[second] == label))
        sign = torch.where(labels[first] == label, 1.0, -1.0)[differ]
        lead = logs[first[differ], label] - logs[second[differ], label]
        total = total + functional.softplus(-sign * lead).sum()
    return WEIGHT * total
