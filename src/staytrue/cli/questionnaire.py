"""`staytrue questionnaire sheet | labels`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from staytrue.cli.terminal import note, print_table
from staytrue.core.errors import DataError


@click.group()
def command() -> None:
    """Annotation sheets and label rule of BEGIN: make a sheet, read the answers."""


@command.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT…")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="FILE.csv",
    help="Sheet to write.",
)  # fmt: skip
@click.option("--annotator", default="", metavar="NAME", help="Name put into every row.")
@click.option("--columns", metavar="OURS=THEIRS,…", help="Names of your columns; ! inverts.")
def sheet(inputs: tuple[str, ...], out: Path, annotator: str, columns: str | None) -> None:
    """Write a CSV sheet that asks BEGIN's questions about every sentence of the responses."""
    from staytrue.annotation.begin_sheet import write_sheet
    from staytrue.core.records import Example
    from staytrue.datasets.tabular import parse_columns
    from staytrue.runs import runner

    source = runner.read_inputs(inputs, parse_columns(columns) if columns else {})
    rows = write_sheet((item for item in source if isinstance(item, Example)), out, annotator)
    note(f"{rows} sentences to judge are in {out}.")


@command.command()
@click.argument(
    "sheets", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SHEET…"
)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE.jsonl",
    help="Write one line a response: label, votes, sentence labels.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the agreement figures as JSON.")
def labels(sheets: tuple[Path, ...], out: Path | None, as_json: bool) -> None:
    """Read answered sheets, label every response by majority and print the agreement."""
    from staytrue.annotation.begin_results import results
    from staytrue.annotation.begin_sheet import read_sheet

    for path in sheets:
        if not path.is_file():
            raise DataError(f"There is no sheet {path}: name the CSV files that were filled in.")
    found = results(row for path in sheets for row in read_sheet(path))
    if not found.responses:
        raise DataError("No row of the sheets has an answer: fill them in first.")
    if out is not None:
        with out.open("w", encoding="utf-8") as file:
            for response in found.responses:
                line = {
                    "id": response.example_id,
                    "label": response.label,
                    "votes": response.votes,
                    "sentences": list(response.sentences.values()),
                    "cooperative": response.cooperative,
                }
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
    figures: dict[str, Any] = {
        **{f"alpha {name}": agreement for name, agreement in found.alphas.items()},
        "fleiss kappa (response labels)": found.fleiss,
        **{f"cohen kappa of {both}": kappa for both, kappa in found.cohen.items()},
        "human accuracy, 5 classes": found.human_5way,
        "human accuracy, 3 classes": found.human_3way,
    }
    if as_json:
        plain = {
            name: {"value": a.value, "items": a.items, "reason": a.reason}
            for name, a in figures.items()
        }
        click.echo(json.dumps(plain, indent=2))
        return
    rows = [
        (name, "none" if a.value is None else f"{a.value:.3f}", a.items, a.reason)
        for name, a in figures.items()
    ]
    print_table("Agreement of the annotators", ["figure", "value", "items", "note"], rows)
    tally: dict[str, int] = {}
    for response in found.responses:
        tally[response.label or "no majority"] = tally.get(response.label or "no majority", 0) + 1
    print_table("Labels by majority", ["label", "responses"], sorted(tally.items()))
