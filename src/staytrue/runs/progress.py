"""A progress bar, on a terminal or in a notebook; nowhere else, so that logs stay clean."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[int], None]


def can_show() -> bool:
    """Whether somebody is looking: the error stream is a terminal, or this is a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


@contextmanager
def bar(total: int | None) -> Iterator[Advance]:
    """Call what it yields with the number of items done."""
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
    with Progress(*columns, console=console) as shown:
        task = shown.add_task("", total=total, rate="")

        def advance(done: int) -> None:
            rate = (shown.tasks[task].completed + done) / max(time.monotonic() - start, 1e-6)
            shown.update(task, advance=done, rate=f"{rate:,.0f}/s")

        yield advance
