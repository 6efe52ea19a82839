"""Batches: nothing is lost, and slow rows are handed over few at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Barrier, Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.core import batches
from staytrue.core.batches import overlapped, paced, side_by_side


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


@given(st.integers(0, 100), st.integers(1, 70))
def test_every_item_comes_once_and_in_order(count: int, most: int) -> None:
    items = list(paced(range(count), most))
    assert [item for batch in items for item in batch] == list(range(count))
    assert all(len(batch) <= most for batch in items)


def sizes(clock: Clock, seconds_per_row: float) -> Iterator[int]:
    for batch in paced(range(2_000), 64):
        yield len(batch)
        clock.now += seconds_per_row * len(batch)


def test_fast_rows_go_through_together(clock: Clock) -> None:
    assert list(sizes(clock, 0.001))[:8] == [1, 2, 4, 8, 16, 32, 64, 64]


def test_slow_rows_are_handed_over_one_by_one(clock: Clock) -> None:
    assert set(sizes(clock, 3.0)) == {1}


def test_rows_that_get_slow_come_in_smaller_batches(clock: Clock) -> None:
    sizes = []
    for batch in paced(range(500), 64):
        sizes.append(len(batch))
        clock.now += sum(0.001 if row < 200 else 1.0 for row in batch)
    assert max(sizes) == 64
    assert max(sizes[-10:]) == 2


@given(st.lists(st.integers(), max_size=30), st.integers(1, 7))
def test_every_item_worked_at_side_by_side_gives_its_result(items: list[int], count: int) -> None:
    results = list(side_by_side(lambda item: -item, items, count))
    assert sorted(results) == sorted(-item for item in items)
    if count == 1:
        assert results == [-item for item in items]


def test_a_slow_item_holds_back_no_other() -> None:
    rest_done = Event()

    def work(item: int) -> int:
        if item == 0:
            assert rest_done.wait(10)
        return item

    results = side_by_side(work, range(8), 2)
    assert [next(results) for _ in range(7)] == list(range(1, 8))
    rest_done.set()
    assert list(results) == [0]


@pytest.mark.parametrize("at_once", [1, 2])
def test_items_that_cannot_be_taken_cost_no_result_of_those_before(at_once: int) -> None:
    def items() -> Iterator[int]:
        yield from (1, 2, 3)
        raise ValueError("no more")

    results: list[int] = []
    with pytest.raises(ValueError, match="no more"):
        results.extend(side_by_side(lambda item: item, items(), at_once))
    assert sorted(results) == [1, 2, 3]


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
