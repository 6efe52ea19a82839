"""A progress bar, on a terminal or in a notebook (nowhere else: logs stay clean), and its clock."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

Advance = Callable[[int], None]


def can_show() -> bool:
    """Whether somebody is looking: the error stream is a terminal, or this is a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


@contextmanager
def every(seconds: float, work: Callable[[], None]) -> Iterator[None]:
    """Do the work again and again, in a thread of its own, until the block ends."""
    ended = Event()

    def repeat() -> None:
        while not ended.wait(seconds):
            work()

    thread = Thread(target=repeat, name="staytrue-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def bar(total: int | None, noun: str = "row") -> Iterator[Advance]:
    """Call what it yields with the number of items done; `noun` is what one of them is."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(),
    )  # fmt: skip
    start = time.monotonic()
    console = Console(stderr=sys.stderr.isatty())
    with Progress(*columns, console=console) as display:
        task = display.add_task("", total=total, rate="")

        def advance(done: int) -> None:
            now = display.tasks[task].completed + done
            rate = now / max(time.monotonic() - start, 1e-6)
            if total is not None and now > total:
                # A row may hold several examples: nobody knows how many are left.
                display.tasks[task].total = None
            display.update(task, advance=done, rate=f"{per_second(rate)} {noun}s/s")

        yield advance


def pace(done: int, seconds: float, left: int | None) -> str:
    """`2.0/s, 30 s left`: how fast it goes, and how long the rest takes, if that is known."""
    rate = done / max(seconds, 1e-6)
    rest = f", {left / rate:,.0f} s left" if left and left > 0 else ""
    return f"{per_second(rate)}/s{rest}"


def per_second(rate: float) -> str:
    """A rate for people: slow ones need decimals."""
    if rate >= 10:
        return f"{rate:,.0f}"
    return f"{rate:.1f}" if rate >= 1 else f"{rate:.2g}"
