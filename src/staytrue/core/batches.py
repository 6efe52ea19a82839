"""Cut a stream into batches (itertools.batched comes with Python 3.12 only), and overlap them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
# A batch that takes this long shows its progress often enough, and wastes little on overhead.
_SHORT_SECONDS, _LONG_SECONDS = 0.5, 2.0


def batched(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of up to `size` items, in order."""
    batch: list[Item] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def overlapped(
    work: Callable[[Sequence[Item]], Sequence[Result]], items: Sequence[Item], size: int
) -> list[Result]:
    """The results of all items, in order, worked at in batches of `size`, two at a time.

    Where a part of the work runs on one core (parsing) and another on all (models), one batch's
    parsing takes place beside the other's models.
    """
    with ThreadPoolExecutor(2, "staytrue-batch") as pool:
        return [result for batch in pool.map(work, batched(items, size)) for result in batch]


def side_by_side(
    work: Callable[[Item], Result], items: Iterable[Item], at_once: int
) -> Iterator[Result]:
    """The results as they come, with `at_once` items in progress: one ends, the next begins.

    If taking the next item fails, those in progress are finished first. One at a time needs no
    thread, and takes an item only when the result before it has been used.
    """
    if at_once == 1:
        yield from map(work, items)
        return
    left = iter(items)
    ended: Exception | None = None
    running: set[Future[Result]] = set()
    with ThreadPoolExecutor(at_once, "staytrue-row") as pool:
        while running or ended is None:
            try:
                while ended is None and len(running) < at_once:
                    running.add(pool.submit(work, next(left)))
            except Exception as error:
                ended = error
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for one in done:
                yield one.result()
    if not isinstance(ended, StopIteration):
        assert ended is not None
        raise ended


def paced(items: Iterable[Item], most: int) -> Iterator[list[Item]]:
    """Lists of one to `most` items, as many as their reader handles in about a second.

    So progress moves after each of a few slow rows, and fast ones still go through together.
    """
    left = iter(items)
    size = 1
    while batch := list(islice(left, size)):
        start = time.monotonic()
        yield batch
        seconds = time.monotonic() - start
        if seconds < _SHORT_SECONDS:
            size = min(2 * size, most)
        elif seconds > _LONG_SECONDS:
            size = max(size // 2, 1)
