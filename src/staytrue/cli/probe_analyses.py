"""The tables and pictures of judged probes, from run folders (`staytrue probes scores …`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from staytrue.cli.terminal import note, print_table
from staytrue.report import dots as plot
from staytrue.runs.folder import Run
from staytrue.studies import consistest as analysis

_RUNS = click.argument(
    "runs", nargs=-1, required=True, metavar="RUN…", type=click.Path(path_type=Path)
)
_METRIC = click.option("--metric", default="hybrid", show_default=True, help="Whose scores.")
_PLOT = click.option(
    "--plot",
    "picture",
    type=click.Path(path_type=Path),
    metavar="FILE.svg",
    help="Also draw a chart.",
)


def print_scores(runs: Sequence[Path], metric: str = "hybrid") -> None:
    """Print each run's scores by source, kind and distance; a run without the metric is left."""
    for name, run in analysis.named_runs(runs).items():
        if metric in Run(run).signatures:
            columns = ("source", "distance", "WH", "yes/no", "both")
            table = analysis.by_source_kind_distance(analysis.read_judged(run, metric))
            print_table(f"{name}: mean score [95 %] (samples)", columns, table)


@click.command("scores")
@_RUNS
@_METRIC
@_PLOT
def scores(runs: tuple[Path, ...], metric: str, picture: Path | None) -> None:
    """Scores by source, kind and distance."""
    judged = _judged(runs, metric)
    print_scores(runs, metric)
    if picture:
        columns = analysis.plot_columns(judged.values())
        series = [
            (name, [analysis.mean_of(column.of(rows)) for column in columns])
            for name, rows in judged.items()
        ]
        labels = [column.name for column in columns]
        _write(picture, plot.dots("Score by source, kind and distance", labels, series))


@click.command("errors")
@_RUNS
@_METRIC
@_PLOT
def errors(runs: tuple[Path, ...], metric: str, picture: Path | None) -> None:
    """Where yes/no answers fail: in the short answer, or in the long one."""
    series = []
    for name, rows in _judged(runs, metric).items():
        error_rows = analysis.short_answer_errors(rows)
        columns = ("truth", "asked", "wrong answers", "of them wrong short answers")
        title = f"{name}: yes/no questions about the persona"
        print_table(title, columns, [row.cells() for row in error_rows])
        series.append((name, [analysis.wrong_share(rows, row.truth) for row in error_rows]))
    if picture:
        labels = ("wrong, truth yes", "wrong, truth no", "wrong, all")
        _write(picture, plot.dots("Share of wrong yes/no answers", labels, series))


@click.command("bots")
@_RUNS
@_METRIC
@_PLOT
def bots(runs: tuple[Path, ...], metric: str, picture: Path | None) -> None:
    """Runs side by side, with intervals; several variants of one bot, too."""
    named = _judged(runs, metric)
    table = analysis.side_by_side(named)
    rows = [(name, *(str(cell.mean) for cell in cells)) for name, cells in table]
    print_table("mean score [95 %]", ("bot", *analysis.SIDE_BY_SIDE_COLUMNS), rows)
    first, *others = named.items()
    for name, judged in others:
        gap = analysis.paired_difference(first[1], judged)
        if gap.count:
            click.echo(f"{first[0]} − {name}: {gap.mean} on {gap.count:,} common probes")
    if picture:
        _write(picture, plot.dots("Bots side by side", analysis.SIDE_BY_SIDE_COLUMNS, table))


def _judged(runs: Sequence[Path], metric: str) -> dict[str, list[analysis.JudgedProbe]]:
    return {
        name: analysis.read_judged(run, metric) for name, run in analysis.named_runs(runs).items()
    }


def _write(picture: Path, drawn: str) -> None:
    picture.write_text(drawn, encoding="utf-8")
    note(f"The chart is in {picture}.")
