"""Batches: nothing is lost, and slow rows are handed over few at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.core import batches
from staytrue.core.batches import overlapped, paced


class Clock:
    """Time that passes only when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(batches, "time", made)
    return made


@given(st.integers(0, 100), st.integers(1, 70), st.integers(1, 70))
def test_every_item_comes_once_and_in_order(count: int, most: int, least: int) -> None:
    items = list(paced(range(count), most, least))
    assert [item for batch in items for item in batch] == list(range(count))
    assert all(len(batch) <= most for batch in items)


def sizes(clock: Clock, seconds_per_row: float, least: int = 1) -> Iterator[int]:
    for batch in paced(range(2_000), 64, least):
        yield len(batch)
        clock.now += seconds_per_row * len(batch)


def test_fast_rows_go_through_together(clock: Clock) -> None:
    assert list(sizes(clock, 0.001))[:8] == [1, 2, 4, 8, 16, 32, 64, 64]


def test_slow_rows_are_handed_over_one_by_one(clock: Clock) -> None:
    assert set(sizes(clock, 3.0)) == {1}


def test_rows_that_get_slow_come_in_smaller_batches(clock: Clock) -> None:
    found = []
    for batch in paced(range(500), 64):
        found.append(len(batch))
        clock.now += sum(0.001 if row < 200 else 1.0 for row in batch)
    assert max(found) == 64
    assert max(found[-10:]) == 2


def test_a_server_gets_as_many_as_it_answers_at_once(clock: Clock) -> None:
    assert min(list(sizes(clock, 3.0, least=16))) == 16


@given(st.lists(st.integers(), max_size=30), st.integers(1, 7))
def test_overlapped_batches_give_the_results_in_order(items: list[int], size: int) -> None:
    assert overlapped(lambda batch: [-item for item in batch], items, size) == [-n for n in items]


def test_two_batches_are_worked_at_together() -> None:
    both = Barrier(2, timeout=10)

    def meet(batch: Sequence[int]) -> Sequence[int]:
        both.wait()
        return batch

    assert overlapped(meet, [1, 2, 3, 4], 2) == [1, 2, 3, 4]


def test_an_error_in_a_batch_reaches_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        overlapped(lambda batch: [1 // item for item in batch], [1, 1, 0], 2)
