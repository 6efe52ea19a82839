"""What the commands that talk to bots print: progress while they talk, and what it took."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from staytrue.cli.terminal import SECONDS_BETWEEN_LINES, note, print_table
from staytrue.core.text import counted
from staytrue.elicit.talking import Estimate, Listener
from staytrue.elicit.talking import Progress as Talked
from staytrue.runs import progress


def say(progress: Talked, noun: str) -> str:
    """How far the talking has come, in one line; `noun` is what one conversation is."""
    return (
        f"{counted(progress.done, noun)} done, {progress.failed:,} failed, {progress.left:,} left; "
        f"{counted(progress.replies, 'reply', 'replies')}"
    )


class Advising(Listener):
    """Prints no progress, but what would help."""

    def advise(self, advice: str) -> None:
        note(advice)


class Telling(Advising):
    """Tells how far the talking has come and how fast it goes; earlier sittings do not count."""

    def __init__(self, noun: str) -> None:
        self._noun = noun
        self._start = time.monotonic()
        self._before: int | None = None

    def line(self, talked: Talked) -> str:
        """All in one line; without a rate until something has ended in this sitting."""
        ended = talked.done + talked.failed
        if self._before is None:
            self._before = ended
        here = ended - self._before
        seconds = time.monotonic() - self._start
        rate = f"; {progress.pace(here, seconds, talked.left)}" if here else ""
        return say(talked, self._noun) + rate


class LineByLine(Telling):
    """For logs: a line every ten seconds."""

    def __init__(self, noun: str, seconds: float = SECONDS_BETWEEN_LINES) -> None:
        super().__init__(noun)
        self._seconds = seconds
        self._last_line = time.monotonic()

    def progress(self, progress: Talked) -> None:
        line = self.line(progress)
        now = time.monotonic()
        if now - self._last_line >= self._seconds:
            self._last_line = now
            note(line)


class Bar(Telling):
    """For terminals: a bar that grows with what succeeded."""

    def __init__(self, bar: Progress, noun: str) -> None:
        super().__init__(noun)
        self._bar = bar
        self._task = bar.add_task("", total=None, counts="")

    def progress(self, progress: Talked) -> None:
        self._bar.update(
            self._task, total=progress.total or None, completed=progress.done,
            counts=self.line(progress),
        )  # fmt: skip


@contextmanager
def listening(noun: str, *, quiet: bool = False) -> Iterator[Listener]:
    """A listener that shows how many conversations, each a `noun`, are done, failed and left."""
    if quiet:
        yield Advising()
    elif sys.stderr.isatty():
        columns = (
            SpinnerColumn(), BarColumn(), TextColumn("{task.fields[counts]}"), TimeElapsedColumn(),
        )  # fmt: skip
        with Progress(*columns, console=Console(stderr=True)) as bar:
            yield Bar(bar, noun)
    else:
        yield LineByLine(noun)


def print_estimate(estimate: Estimate, what: str) -> None:
    """Print what a run will need."""
    rows = [(what, f"{estimate.conversations:,}", f"{estimate.conversations:,}")]
    for name, amount, digits in (
        ("requests", estimate.requests, 0),
        ("tokens", estimate.tokens, 0),
        ("seconds of waiting for the bots", estimate.seconds, 0),
        ("cost", estimate.cost, 2),
    ):
        if name != "cost" or amount.most:
            rows.append((name, f"{amount.expected:,.{digits}f}", f"{amount.most:,.{digits}f}"))
    print_table("Estimate, from one reply of each bot", ("", "expected", "at most"), rows)


def print_usage(usage: Mapping[str, Mapping[str, float]]) -> None:
    """One line with what all bots together have used, over all sittings."""
    if usage:
        names = ("requests", "retries", "tokens_in", "tokens_out")
        total = {name: int(sum(used[name] for used in usage.values())) for name in names}
        cost = sum(used["cost"] for used in usage.values())
        click.echo(
            f"used so far: {counted(total['requests'], 'request')} "
            f"({counted(total['retries'], 'retry', 'retries')} among them), "
            f"{counted(total['tokens_in'], 'token')} in, "
            f"{counted(total['tokens_out'], 'token')} out, cost {cost:.4f}"
        )
