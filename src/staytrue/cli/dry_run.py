"""What `staytrue score … --dry-run` prints: requests to a server, or time and cost on Ray."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING

import click

from staytrue.cli.terminal import print_table
from staytrue.core.text import counted

if TYPE_CHECKING:
    from staytrue.runs.engines.estimate import JudgingEstimate
    from staytrue.runs.rehearsal import RehearsedRun


def print_rehearsed(run: RehearsedRun) -> None:
    """Print the requests, tokens and cost of each metric, and of all of them."""
    used = dict(run.by_metric)
    if len(used) > 1:
        used["all"] = run.total
    columns = ("metric", "requests", "tokens in", "tokens out", "cost")
    rows = [(name, *map(_shown, astuple(one))) for name, one in used.items()]
    what = "1 example" if run.rows == 1 else f"{run.rows} examples"
    print_table(f"Estimate for {what}", columns, rows)
    if not run.total.cost:
        click.echo("For the cost, add price_in and price_out, per million tokens, to the backend.")


def _shown(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


def print_estimate(needed: JudgingEstimate, price: float | None) -> None:
    """Print what a run needs, and what that costs at a price per CPU and hour."""
    cost = "" if price is None else f"{needed.cpu_hours * price:,.2f}"
    row = (
        f"{needed.rows:,}", f"{needed.unreadable:,}", needed.workers,
        f"{needed.workers / needed.per_row:,.1f}", clock(needed.seconds),
        f"{needed.cpu_hours:,.2f}", cost or "–",
    )  # fmt: skip
    columns = ("rows", "unreadable", "workers", "rows/s", "time", "CPU hours", "cost")
    print_table("Estimate for the run", columns, [row])
    click.echo(
        f"From {counted(needed.sample, 'row')} judged on this machine; a cluster's CPUs "
        "may be faster or slower, and it takes time to start."
    )
    click.echo(
        f"The time includes {clock(needed.staging)} for reading and staging the rows, which one "
        "process does before the workers start."
    )
    if not cost:
        click.echo("For the cost, add --cpu-hour-price, in your currency.")


def clock(seconds: float) -> str:
    """`1:02:03` for 3,723 seconds."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
