"""`staytrue score … --dry-run`: what a run would ask of a server, without asking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from staytrue.cli.terminal import print_table
from staytrue.core.errors import UsageError
from staytrue.core.records import Example, Failure


def asks_server(backend: str | None) -> bool:
    """Whether a run with this backend can be rehearsed."""
    from staytrue.plugins.registry import DEFAULT_BACKEND, load_backend

    return hasattr(load_backend(backend or DEFAULT_BACKEND), "rehearsal")


def rehearse(
    source: Iterable[Example | Failure], metrics: Sequence[str], backend: str | None
) -> None:
    """Judge with plausible answers, and print the requests, tokens and cost of each metric."""
    from staytrue.plugins.registry import DEFAULT_BACKEND, load_backend
    from staytrue.runs import runner

    spec = backend or DEFAULT_BACKEND
    rehearsal = getattr(load_backend(spec), "rehearsal", None)
    if rehearsal is None:
        raise UsageError(f"Backend {spec} calls no server, so --dry-run has nothing to count.")
    silent = rehearsal()
    rows = list(source)
    counted = [dict.fromkeys(silent.used(), 0)]
    for metric in runner.load_metrics(metrics, backend=silent):
        runner.judge_all(rows, [metric], runner.Evaluation({metric.name: metric.signature}))
        counted.append(silent.used())
    # What two metrics ask alike is asked, and counted, once: for the first of them.
    table = [
        (name, *(_shown(after[key] - before[key]) for key in after))
        for name, before, after in zip(metrics, counted, counted[1:], strict=False)
    ]
    if len(metrics) > 1:
        table.append(("all", *map(_shown, counted[-1].values())))
    columns = ("metric", "requests", "tokens in", "tokens out", "cost")
    what = "1 example" if len(rows) == 1 else f"{len(rows)} examples"
    print_table(f"Estimate for {what}", columns, table)
    if not counted[-1]["cost"]:
        click.echo("For the cost, add price_in and price_out, per million tokens, to the backend.")


def _shown(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
