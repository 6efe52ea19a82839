"""`staytrue merge RUN… --out RUN`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from staytrue.cli.score import format_option, print_failures, print_summary
from staytrue.runs.folder import Run
from staytrue.runs.merge import merge


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN…")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="RUN")
@format_option
def command(runs: tuple[Path, ...], out: Path, as_parquet: bool) -> None:
    """Join run folders of one signature, such as the shards of a cluster."""
    counts = merge(runs, out, as_parquet=as_parquet)
    print_failures(out, counts, advice="")
    print_summary(out, counts, Run(out).signatures)
    if counts["errors"]:
        sys.exit(1)
