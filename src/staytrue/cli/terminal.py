"""What every subcommand prints with: safe tables, and progress for people or for logs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from staytrue.core.errors import printable
from staytrue.core.redaction import redact
from staytrue.core.text import counted
from staytrue.runs import progress

if TYPE_CHECKING:
    from staytrue.runs.folder import Run

SECONDS_BETWEEN_LINES = 10.0


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table; cells are shown as they are, without markup or control characters."""
    table = Table(title=Text(printable(title)), title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(str(cell))) for cell in row))
    # A pipe has no width: leave the cells whole.
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def note(message: str) -> None:
    """Say something on the error stream, so that results alone go to standard output."""
    click.echo(printable(redact(message)), err=True)


def note_partial(*runs: Run) -> None:
    """Say which of the runs do not hold all of their rows yet."""
    for run in runs:
        if run.is_partial:
            note(
                f"{run.folder} is incomplete: the command that writes it was interrupted, or is "
                "still at work. Figures cover only what it holds so far."
            )


@contextmanager
def progress_bar(
    total: int | None, *, quiet: bool = False, noun: str = "row"
) -> Iterator[Callable[[int], None]]:
    """Call what it yields with the number of items done; a bar on a terminal, else lines."""
    if quiet:
        yield lambda done: None
    elif sys.stderr.isatty():
        with progress.bar(total, noun) as advance:
            yield advance
    else:
        lines = _ProgressLines(total, noun)
        with progress.every(SECONDS_BETWEEN_LINES, lines.tick):
            yield lines.advance


class _ProgressLines:
    """Progress for a log: a line about every ten seconds, also while nothing is finished."""

    def __init__(self, total: int | None, noun: str) -> None:
        self._total = total
        self._noun = noun
        self._count = 0
        self._start = self._last_line = time.monotonic()
        self._lock = Lock()

    def advance(self, done: int) -> None:
        """So many more items are done."""
        with self._lock:
            self._count += done
            now = time.monotonic()
            if self._count and now - self._last_line >= SECONDS_BETWEEN_LINES:
                self._last_line = now
                left = self._total - self._count if self._total else None
                pace = progress.pace(self._count, now - self._start, left)
                note(f"{counted(self._count, self._noun)}, {pace}")

    def tick(self) -> None:
        """Time has passed: say that work goes on if no line has told it lately."""
        with self._lock:
            now = time.monotonic()
            if now - self._last_line >= SECONDS_BETWEEN_LINES:
                self._last_line = now
                done = f"{counted(self._count, self._noun)} so far"
                note(f"still working: {done}, after {now - self._start:,.0f} s")
