"""What every subcommand prints with: safe tables, and progress for people or for logs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from staytrue.core.errors import printable
from staytrue.core.redaction import redact
from staytrue.core.text import counted
from staytrue.runs import progress

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
        yield _line_by_line(total, noun)


def _line_by_line(total: int | None, noun: str) -> Callable[[int], None]:
    start = last_line = time.monotonic()
    count = 0

    def advance(done: int) -> None:
        nonlocal count, last_line
        count += done
        now = time.monotonic()
        if count and now - last_line >= SECONDS_BETWEEN_LINES:
            last_line = now
            left = total - count if total else None
            note(f"{counted(count, noun)}, {progress.pace(count, now - start, left)}")

    return advance
