"""`staytrue report`: a run as one HTML page, and as a table if wanted."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--csv", "csv_file", type=click.Path(path_type=Path), help="Also write a table to this file."
)
def command(run: Path, csv_file: Path | None) -> None:
    """Write RUN/report.html, one file that opens from disk without a network."""
    from staytrue.cli.terminal import note_partial
    from staytrue.report import write_csv, write_report
    from staytrue.runs.folder import Run

    note_partial(Run(run))
    click.echo(write_report(run))
    if csv_file is not None:
        click.echo(write_csv(run, csv_file))
