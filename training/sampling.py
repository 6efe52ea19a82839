"""Which examples are drawn when: weights by source and label, blocks sorted by length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from training.bundles import by_length, partners


class Deck:
    """Indexes of one group, dealt in a shuffled order and reshuffled when used up."""

    def __init__(self, indexes: np.ndarray, rng: np.random.Generator) -> None:
        self._indexes = rng.permutation(indexes)
        self._next = 0
        self._rng = rng

    def deal(self) -> int:
        if self._next == len(self._indexes):
            self._indexes = self._rng.permutation(self._indexes)
            self._next = 0
        self._next += 1
        return int(self._indexes[self._next - 1])


def batches(
    groups: Mapping[str, np.ndarray],
    weights: Mapping[str, float],
    lengths: np.ndarray,
    *,
    size: int,
    batches_per_block: int,
    seed: int,
    bundles: np.ndarray | None = None,
) -> Iterator[np.ndarray]:
    """Endless batches of indexes; the same seed always deals the same ones.

    A block of batches is drawn at once and sorted by length, so that a batch has next to
    no padding; the order of the batches within the block is random. With `bundles`, a row comes
    with its partner, and batches may have one row more.
    """
    rng = np.random.default_rng(seed)
    names = [name for name in groups if len(groups[name]) and weights.get(name, 0) > 0]
    shares = np.array([weights[name] for name in names], dtype=float)
    shares /= shares.sum()
    decks = [Deck(groups[name], rng) for name in names]
    other = np.arange(len(lengths)) if bundles is None else partners(bundles)
    while True:
        drawn = rng.choice(len(names), size=size * batches_per_block, p=shares)
        block = np.array([decks[choice].deal() for choice in drawn])
        dealt = by_length(block, other, lengths, size)
        for number in rng.permutation(len(dealt)):
            yield dealt[number]
