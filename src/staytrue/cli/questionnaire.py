"""`staytrue questionnaire sheet | labels`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from staytrue.cli.terminal import note, print_table
from staytrue.core.errors import DataError, UsageError
from staytrue.core.records import Example, Failure
from staytrue.core.text import counted

_KEY = click.option(
    "--key", type=click.Path(path_type=Path), metavar="FILE",
    help="The secret key that makes the names on sheets unguessable, created when first needed "
         "[default: sheets.key beside the sheet].",
)  # fmt: skip
_COLUMNS = click.option(
    "--columns", metavar="OURS=THEIRS,…", help="Names of your columns; ! inverts."
)


@click.group()
def command() -> None:
    """BEGIN's annotation sheets and label rule: write a sheet, read the answers."""


@command.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT…")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="FILE.csv",
    help="Sheet to write.",
)  # fmt: skip
@click.option("--annotator", default="", metavar="NAME", help="Name to write into every row.")
@_COLUMNS
@_KEY
def sheet(
    inputs: tuple[str, ...], out: Path, annotator: str, columns: str | None, key: Path | None
) -> None:
    """Write a blind CSV sheet: BEGIN's questions about every sentence of the responses."""
    from staytrue.annotation.begin_sheet import write_sheet
    from staytrue.annotation.blind_names import KEY_FILE, sheet_key

    unread: list[Failure] = []
    examples = list(_examples(inputs, columns, unread))
    if not examples:
        why = f": {unread[0].where}: {unread[0].error}" if unread else "."
        raise DataError(f"{', '.join(inputs)} has nothing to judge{why}")
    for failure in unread:
        note(f"{failure.where}: {failure.error}")
    secret = sheet_key(key or out.with_name(KEY_FILE))
    rows = write_sheet(examples, out, secret, annotator)
    note(f"{counted(rows, 'sentence')} to judge {'is' if rows == 1 else 'are'} in {out}.")


@command.command()
@click.argument(
    "sheets", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SHEET…"
)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE.jsonl",
    help="Write one line per response: label, votes, sentence labels.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the agreement figures as JSON.")
@click.option(
    "--source", "sources", multiple=True, metavar="INPUT",
    help="What the sheets were made from, to restore the responses' ids; repeat it for several. "
         "Needed for --out.",
)  # fmt: skip
@_COLUMNS
@_KEY
def labels(
    sheets: tuple[Path, ...],
    out: Path | None,
    as_json: bool,
    sources: tuple[str, ...],
    columns: str | None,
    key: Path | None,
) -> None:
    """Read answered sheets, label every response by majority and print the agreement."""
    from staytrue.annotation.begin_results import results
    from staytrue.annotation.begin_sheet import read_sheet, unblinded

    rated = [row for path in sheets for row in read_sheet(path)]
    if not rated:
        raise DataError("No row of the sheets has an answer: fill them in first.")
    if sources:
        rated = unblinded(rated, _examples(sources, columns), _keys(key, sheets, sources))
    elif out is not None and any(row.blind for row in rated):
        raise UsageError("The sheets do not name the responses: add --source with their INPUT.")
    answered = results(rated)
    if out is not None:
        with out.open("w", encoding="utf-8") as file:
            for response in answered.responses:
                file.write(json.dumps(response.to_json(), ensure_ascii=False) + "\n")
    if as_json:
        plain = {
            name: {"value": a.value, "items": a.items, "reason": a.reason}
            for name, a in answered.figures.items()
        }
        click.echo(json.dumps(plain, indent=2))
        return
    rows = [
        (name, "none" if a.value is None else f"{a.value:.3f}", a.items, a.reason)
        for name, a in answered.figures.items()
    ]
    print_table("Agreement of the annotators", ["figure", "value", "items", "note"], rows)
    print_table("Labels by majority", ["label", "responses"], sorted(answered.tally.items()))


def _examples(
    inputs: Sequence[str], columns: str | None, unread: list[Failure] | None = None
) -> Iterator[Example]:
    """The examples of all inputs; rows that cannot be read are added to `unread`."""
    from staytrue.datasets.tabular import parse_columns
    from staytrue.runs import runner

    source = runner.read_inputs(inputs, parse_columns(columns) if columns else {})
    for item in runner.with_unique_ids(source):
        if isinstance(item, Example):
            yield item
        elif unread is not None:
            unread.append(item)


def _keys(key: Path | None, sheets: Sequence[Path], sources: Sequence[str]) -> set[bytes]:
    """The keys that the sheets may be written under; an export of the app has its run's."""
    from staytrue.annotation.blind_names import KEY_FILE, stored_key

    beside = [*sheets, *(Path(source.partition(":")[2] or source) for source in sources)]
    files = [key] if key else [path.with_name(KEY_FILE) for path in beside]
    return {stored_key(file) for file in files}
