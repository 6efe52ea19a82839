"""`staytrue threshold RUN --precision 0.9`: a limit on the score, chosen on your own labels."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from staytrue.cli.terminal import note, note_partial, print_table
from staytrue.runs.folder import Run


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--precision",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.9,
    show_default=True,
    help="Of the responses that pass, the share that people would call consistent.",
)
@click.option(
    "--positive", metavar="LABEL,…", default="", help="Human classes that count as consistent."
)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(run: Path, precision: float, positive: str, seed: int, as_json: bool) -> None:
    """Choose the lowest threshold that reaches a precision, and say how certain that is.

    The threshold is chosen on all labels of the run. What it achieves is measured by tenfold
    cross-validation, on rows that did not help to choose it; no dialogue is on both sides.
    """
    from staytrue.studies.agreement import chosen_thresholds

    labels = {label.strip() for label in positive.split(",") if label.strip()}
    opened = Run(run)
    note_partial(opened)
    thresholds = chosen_thresholds(opened, precision, positive=labels, seed=seed)
    if as_json:
        click.echo(json.dumps({name: asdict(one) for name, one in thresholds.items()}, indent=2))
        return
    rows = []
    for name, one in thresholds.items():
        chosen = "none" if one.threshold is None else f"{one.threshold:.3f}"
        spread = "–" if one.lowest is None else f"{one.lowest:.3f} to {one.highest:.3f}"
        rows.append((name, chosen, spread, one.precision, one.recall))
    columns = ("metric", "pass above", "range over folds", "precision [95 %]", "recall [95 %]")
    print_table(f"Thresholds for a precision of {precision:g}, cross-validated", columns, rows)
    for name, one in thresholds.items():
        low = one.precision.low
        if one.threshold is None:
            note(f"{name}: no threshold reaches this precision on the labels of the run.")
        elif low is None or low < precision:
            note(
                f"{name}: the labels do not establish a precision of {precision:g}; "
                f"{'no held-out row passed' if low is None else f'{low:.2f} is certain'}. "
                "More labels, or a higher --precision, would help."
            )
