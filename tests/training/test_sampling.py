from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, pairwise

import numpy as np
import pytest
from training.sampling import Deck, batches

LENGTHS = np.random.default_rng(5).integers(5, 90, size=300)
GROUPS = {"a": np.arange(0, 100), "b": np.arange(100, 200), "c": np.arange(200, 300)}
SHARES = {"a": 6.0, "b": 3.0, "c": 1.0}


def dealt(
    *, seed: int = 1, groups: Mapping[str, np.ndarray] = GROUPS, block: int = 10
) -> Iterator[np.ndarray]:
    return batches(groups, SHARES, LENGTHS, size=16, batches_per_block=block, seed=seed)


def test_a_deck_deals_every_index_once_before_any_comes_twice() -> None:
    deck = Deck(np.arange(7), np.random.default_rng(1))
    rounds = [[deck.deal() for _ in range(7)] for _ in range(3)]
    assert all(sorted(one) == list(range(7)) for one in rounds)
    assert len({tuple(one) for one in rounds}) > 1, "each round is shuffled anew"


def test_groups_are_drawn_in_the_shares_of_their_weights() -> None:
    drawn = np.concatenate(list(islice(dealt(), 400)))
    shares = np.bincount(drawn // 100) / len(drawn)
    assert shares == pytest.approx([0.6, 0.3, 0.1], abs=0.02)


def test_a_group_without_weight_or_without_rows_is_never_drawn() -> None:
    groups = {**GROUPS, "b": np.array([], dtype=int), "unknown": np.arange(100, 200)}
    drawn = np.concatenate(list(islice(dealt(groups=groups), 100)))
    assert not np.isin(drawn, np.arange(100, 200)).any()
    shares = np.bincount(drawn // 100) / len(drawn)
    assert shares == pytest.approx([6 / 7, 0, 1 / 7], abs=0.03)


def test_the_same_seed_deals_the_same_batches_and_another_seed_others() -> None:
    first, again, other = (list(islice(dealt(seed=seed), 30)) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_a_block_is_cut_into_batches_by_length_and_their_order_is_random() -> None:
    block = [LENGTHS[batch] for batch in islice(dealt(block=10), 10)]
    assert all(len(batch) == 16 and (np.diff(batch) >= 0).all() for batch in block)
    by_length = sorted(block, key=lambda batch: (batch[0], batch[-1]))
    assert all(a[-1] <= b[0] for a, b in pairwise(by_length))
    assert [batch[0] for batch in block] != sorted(batch[0] for batch in block)
