"""A set of keys is a set, however many there are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.runs.ids import KeySet


@given(st.lists(st.integers(1, 2**64 - 1)))
def test_a_key_set_is_a_set(keys: list[int]) -> None:
    found = KeySet()
    for key in keys:
        found.add(key)
    assert len(found) == len(set(keys))
    assert all(key in found for key in keys)
    assert (12345 in found) == (12345 in keys)


@pytest.mark.slow
def test_a_key_set_grows() -> None:
    found = KeySet()
    for key in range(1, 5000):
        found.add(key << 20)
    assert len(found) == 4999
    assert all(key << 20 in found for key in range(1, 5000))
    assert 5000 << 20 not in found
