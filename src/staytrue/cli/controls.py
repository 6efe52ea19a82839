"""`staytrue controls INPUT…`: scores with random knowledge, and the influence of length."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from staytrue.cli.terminal import note, print_table
from staytrue.core.errors import UsageError
from staytrue.core.records import Example, Failure
from staytrue.core.text import decimals

_NEEDS = {"same dialogue": "another turn of its dialogue", "other dialogue": "another dialogue"}


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT…")
@click.option("--metric", default="q2", show_default=True, metavar="NAME[,option=value…]")
@click.option("--backend", metavar="NAME", help="Where the models come from [default: embedded].")
@click.option("--limit", type=click.IntRange(1), help="Use only the first N responses.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def command(
    inputs: tuple[str, ...],
    metric: str,
    backend: str | None,
    limit: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Score responses with their own knowledge, with that of another turn of the same dialogue,
    and with that of another dialogue; a good metric answers almost nothing from the last two.

    The dialogue of a response is its tag `dialogue` or `episode`, or its context or topic.
    """
    from staytrue.plugins.registry import load_metric
    from staytrue.studies.q2 import controls

    measured = controls.measure(
        _read(inputs, limit), load_metric(metric, backend=backend, seed=seed), seed=seed
    )
    for kind, group in measured.knowledge.items():
        if not group.responses:
            note(
                f"No response has knowledge of {_NEEDS[kind]}: give the rows a tag `dialogue` that "
                "says which dialogue each comes from."
            )
    if as_json:
        click.echo(json.dumps(measured.to_json(), indent=2))
        return
    print_table(
        f"{measured.metric} with random knowledge",
        ("knowledge", "responses", "covered", "questions", "no answer", "score of covered"),
        [
            (kind, f.responses, f.covered, f.questions, _percent(f.unanswered),
             decimals(f.question_score if f.questions else f.score))
            for kind, f in measured.knowledge.items()
        ],
    )  # fmt: skip
    print_table(
        "Length of the responses",
        ("people say", "responses", "characters", "tokens"),
        [(g.group, g.responses, f"{g.characters:.1f}", f"{g.tokens:.1f}") for g in measured.length],
    )
    click.echo(f"Spearman of tokens and score: {decimals(measured.length_spearman)}")
    click.echo(f"signature: {measured.signature}")


def _read(inputs: Sequence[str], limit: int | None) -> list[Example]:
    from staytrue.runs import runner

    examples: list[Example] = []
    for item in runner.read_inputs(inputs):
        if isinstance(item, Failure):
            note(f"{item.where}: {item.error}")
        elif limit is None or len(examples) < limit:
            examples.append(item)
    if not examples:
        raise UsageError("The input has no responses.")
    return examples


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"
