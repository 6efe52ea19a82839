"""`staytrue compare RUN_A RUN_B`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from staytrue.cli.terminal import print_table
from staytrue.store import Run


@click.command()
@click.argument("run_a", type=click.Path(path_type=Path))
@click.argument("run_b", type=click.Path(path_type=Path))
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(run_a: Path, run_b: Path, seed: int, as_json: bool) -> None:
    """Compare the mean scores of two runs; refuses when their signatures differ.

    Examples with the same id in both are compared as pairs, else the runs as two samples.
    """
    from staytrue.agree.comparison import compare

    result = compare(Run(run_a), Run(run_b), seed=seed)
    if as_json:
        click.echo(json.dumps({name: asdict(c) for name, c in result.items()}, indent=2))
        return
    rows = [
        (name, f"{c.mean_a:.3f}", f"{c.mean_b:.3f}", c.difference, f"{c.p:.4f}",
         f"{c.n_a} / {c.n_b}", "pairs" if c.by_pairs else "two samples")
        for name, c in result.items()
    ]  # fmt: skip
    columns = ("metric", "A", "B", "B − A [95 %]", "p", "scored", "compared as")
    print_table(f"A = {run_a}, B = {run_b}", columns, rows)
    for name in result:
        click.echo(f"signature: {Run(run_a).signatures[name]}")
