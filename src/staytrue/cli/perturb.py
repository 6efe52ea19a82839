"""`staytrue perturb INPUT… --out FILE`."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import click

from staytrue.cli.terminal import note, print_table
from staytrue.core.errors import DataError, UsageError
from staytrue.core.records import Example, Failure
from staytrue.core.text import counted


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT…")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="JSON lines to write; gzipped if it ends in .gz.",
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    help="Use only this method; repeat it for several. --list-methods names them.",
)
@click.option(
    "--bot",
    metavar="SPEC",
    help="A chatbot that replies to the changed evidence, given to it as the first turn, and at "
    "temperature 0.4 to the dialogue alone, which makes generic responses; without one the change "
    "is carried over to the response and generic responses come from templates.",
)
@click.option(
    "--balance/--all",
    default=False,
    help="The same number of rows per label, or all rows [default: all].",
)
@click.option("--size", type=click.IntRange(5), metavar="N", help="About N rows, balanced.")
@click.option(
    "--chatty",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    metavar="SHARE",
    help="Share of the rows that get openers, lower case and spaced punctuation, as bots write.",
)
@click.option("--columns", metavar="OURS=THEIRS,…", help="Names of your columns; ! inverts.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("--list-methods", is_flag=True, is_eager=True, expose_value=False,
              callback=lambda ctx, _, value: _list_methods(ctx) if value else None,
              help="List the methods and the label that each produces.")  # fmt: skip
def command(
    inputs: tuple[str, ...],
    out: Path,
    methods: tuple[str, ...],
    bot: str | None,
    balance: bool,
    size: int | None,
    chatty: float,
    columns: str | None,
    seed: int,
    quiet: bool,
) -> None:
    """Make silver data: responses of known kind from a file of knowledge-grounded dialogues.

    INPUT rows need `knowledge` and `response`; `message` or `history`, and a tag `topic`, help.
    Off-topic responses are taken from other rows of the same topic.
    """
    from staytrue.datasets.tabular import parse_columns
    from staytrue.plugins.registry import load_chatbot
    from staytrue.runs import runner
    from staytrue.silver import make as silver

    unknown = [name for name in methods if name not in silver.METHODS]
    if unknown:
        raise UsageError(
            f"There is no method '{unknown[0]}'; choose from: {', '.join(silver.METHODS)}."
        )
    source = runner.read_inputs(inputs, parse_columns(columns) if columns else {})
    material = silver.gather(_examples(source), load_chatbot(bot) if bot else None)
    if material.inconsistent:
        note(f"left out: {counted(material.inconsistent, 'response')} marked as inconsistent.")
    if not material.items:
        raise DataError("No row has both knowledge and a response: nothing can be perturbed.")
    rows = silver.make(material, methods=methods, seed=seed, chatty_share=chatty)
    chosen = silver.balanced(rows, size, seed) if balance or size else rows
    counts: Counter[tuple[str, str]] = Counter()
    with _writing(out) as file:
        for row in chosen:
            file.write(json.dumps(row.to_json(), ensure_ascii=False) + "\n")
            counts[row.label, row.method] += 1
    if not quiet:
        table = [(label, method, n) for (label, method), n in sorted(counts.items())]
        print_table(
            f"{counted(counts.total(), 'row')} in {out}", ["label", "method", "rows"], table
        )


def _examples(source: Iterable[Example | Failure]) -> Iterator[Example]:
    for item in source:
        if isinstance(item, Failure):
            note(f"left out: {item.where}: {item.error}")
        else:
            yield item


@contextmanager
def _writing(path: Path) -> Iterator[TextIO]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8") as file:
        yield file


def _list_methods(ctx: click.Context) -> None:
    from staytrue.silver.make import LABEL_OF

    for method, label in LABEL_OF.items():
        click.echo(f"{method:18} {label}")
    ctx.exit()
