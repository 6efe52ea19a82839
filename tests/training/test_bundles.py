from __future__ import annotations

import numpy as np
from training.bundles import ALONE, by_length, partners

BUNDLES = np.array([ALONE, 3, ALONE, 3, 5, 7, 7])
LENGTHS = np.array([9, 4, 3, 30, 5, 6, 6])


def test_the_partner_is_the_other_row_of_the_bundle() -> None:
    assert partners(BUNDLES).tolist() == [0, 3, 2, 1, 4, 6, 5]


def test_a_row_without_a_partner_is_its_own() -> None:
    alone = np.array([ALONE, ALONE, 2])
    assert partners(alone).tolist() == [0, 1, 2]


def test_partners_share_a_batch_however_different_their_lengths_are() -> None:
    other = partners(BUNDLES)
    for size in (1, 2, 3):
        for batch in by_length(np.array([1, 0, 5, 2]), other, LENGTHS, size):
            assert set(other[batch]) == set(batch)


def test_every_row_that_was_drawn_is_dealt_and_batches_have_at_most_one_row_more() -> None:
    block = np.array([4, 1, 2, 0, 6])
    dealt = by_length(block, partners(BUNDLES), LENGTHS, 3)
    assert set(block.tolist()) <= {int(row) for batch in dealt for row in batch}
    assert max(len(batch) for batch in dealt) <= 4


def test_a_row_that_was_drawn_alone_is_dealt_once() -> None:
    dealt = by_length(np.array([0, 2, 4]), partners(BUNDLES), LENGTHS, 8)
    assert [batch.tolist() for batch in dealt] == [[2, 4, 0]]
