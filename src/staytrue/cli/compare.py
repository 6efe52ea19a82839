"""`staytrue compare RUN_A RUN_B`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from staytrue.cli.terminal import note, print_table
from staytrue.core.text import counted, decimals
from staytrue.runs.folder import Run

if TYPE_CHECKING:
    from staytrue.studies.comparison import Comparison


@click.command()
@click.argument("run_a", type=click.Path(path_type=Path))
@click.argument("run_b", type=click.Path(path_type=Path))
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.option(
    "--fail-if-worse",
    is_flag=True,
    help="Exit with status 1 if a metric of B is significantly below A (corrected p < 0.05), or if "
    "B lacks scores for more than a tenth of what A scored: a gate for CI.",
)
@click.option(
    "--detect",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="DIFFERENCE",
    help="Say how many examples it takes to detect this difference, such as 0.03.",
)
def command(
    run_a: Path, run_b: Path, seed: int, as_json: bool, fail_if_worse: bool, detect: float | None
) -> None:
    """Compare the mean scores of two runs; refuses if their signatures differ.

    If nine in ten examples have the same id and question in both runs, they are compared
    as pairs and the others are left out; otherwise as two samples. Where there is no
    question, the knowledge must be the same. With several metrics, p-values are corrected
    by Holm's method.
    """
    from staytrue.studies.comparison import compare, processors_differ

    a, b = Run(run_a), Run(run_b)
    result = compare(a, b, seed=seed)
    if as_json:
        click.echo(json.dumps({name: asdict(c) for name, c in result.items()}, indent=2))
    else:
        _print(a, b, result)
        for name, c in result.items() if detect is not None else ():
            click.echo(_needed(name, c, detect or 0.0))
    worse = [name for name, c in result.items() if c.is_worse]
    if worse:
        note(f"B is worse than A on {', '.join(worse)}.")
    alone = set(a.signatures) ^ set(b.signatures)
    if alone:
        note(f"Only one of the runs has {', '.join(sorted(alone))}, which is not compared.")
    if differ := processors_differ(a, b):
        note(differ)
    for name, c in result.items():
        if c.other_contexts:
            have = "1 example has" if c.other_contexts == 1 else f"{c.other_contexts} examples have"
            note(
                f"{have} the same id but a different question or persona in the two runs, or no "
                f"question and different knowledge: {name} does not pair them."
            )
        if c.other_knowledge:
            pairs = counted(c.other_knowledge, "pair")
            note(f"{name}: {pairs} judged against different knowledge in the two runs.")
        if c.unscored and c.shared:
            note(f"B has no {name} score for {c.unscored} of the examples that A scored.")
        elif c.unscored:
            note(f"B has {c.n_b} scores by {name}, A has {c.n_a}, and the runs share no id.")
    if fail_if_worse and (worse or any(c.lacks_scores for c in result.values())):
        sys.exit(1)


def _print(a: Run, b: Run, result: Mapping[str, Comparison]) -> None:
    rows = [
        (name, f"{c.mean_a:.3f}", f"{c.mean_b:.3f}", c.difference, f"{c.p_corrected:.4f}",
         decimals(c.detectable), f"{c.n_a} / {c.n_b}", _compared_as(c))
        for name, c in result.items()
    ]  # fmt: skip
    p = "p (Holm)" if len(result) > 1 else "p"
    columns = ("metric", "A", "B", "B − A [95 %]", p, "detectable", "scored", "compared as")
    print_table(f"A = {a.folder}, B = {b.folder}", columns, rows)
    click.echo("detectable: the smallest difference that these examples detect in 80 % of runs")
    for why in dict.fromkeys(why for c in result.values() for why in _not_clustered(c)):
        click.echo(why)
    falls = [(name, *row) for name, c in result.items() for row in c.falls]
    if falls:
        shown = [(name, row, f"{before:.3f}", f"{now:.3f}") for name, row, before, now in falls]
        print_table("Largest drops", ("metric", "example", "A", "B"), shown)
    signatures = a.signatures
    for name in result:
        click.echo(f"signature: {signatures[name]}")


def _not_clustered(comparison: Comparison) -> list[str]:
    from staytrue.stats.intervals import why_not_clustered

    c = comparison
    sides = (c.n_a, c.documents_a), (c.n_b, c.documents_b)
    return [why for n, documents in sides if (why := why_not_clustered(n, documents))]


def _compared_as(comparison: Comparison) -> str:
    if not comparison.by_pairs:
        return "two samples"
    clusters = comparison.difference.clusters
    together = f" in {clusters} dialogues or documents" if clusters else ""
    return f"pairs{together}" + (f", {comparison.left_out} left out" if comparison.left_out else "")


def _needed(name: str, comparison: Comparison, difference: float) -> str:
    from staytrue.stats.power import examples_needed

    if comparison.deviation is None:
        return f"{name}: compare runs of the same examples to learn how many are needed."
    if comparison.deviation == 0:
        return f"{name}: no score differs, so these runs cannot tell how many examples are needed."
    count = examples_needed(difference, comparison.deviation)
    if count is None:
        return f"{name}: no feasible number of examples detects a difference of {difference:g}."
    # Rows of one dialogue tell less than as many of their own.
    if comparison.difference.clusters is not None and comparison.detectable:
        count = max(count, round(comparison.n_a * (comparison.detectable / difference) ** 2))
    return (
        f"{name}: about {count:,} examples detect a difference of {difference:g} in 80 % of runs."
    )
