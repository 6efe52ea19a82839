"""A set of keys is a set, however many there are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.runs.ids import KeySet


@given(st.lists(st.integers(1, 2**64 - 1)))
def test_a_key_set_is_a_set(keys: list[int]) -> None:
    stored = KeySet()
    for key in keys:
        stored.add(key)
    assert len(stored) == len(set(keys))
    assert all(key in stored for key in keys)
    assert (12345 in stored) == (12345 in keys)


@pytest.mark.slow
def test_a_key_set_grows() -> None:
    stored = KeySet()
    for key in range(1, 5000):
        stored.add(key << 20)
    assert len(stored) == 4999
    assert all(key << 20 in stored for key in range(1, 5000))
    assert 5000 << 20 not in stored
