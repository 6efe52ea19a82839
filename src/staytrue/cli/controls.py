"""`staytrue controls INPUT…`: scores with random knowledge, and the influence of length."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from staytrue.cli.terminal import note, print_table
from staytrue.core.errors import RunError, UsageError
from staytrue.core.records import Example, Failure, Verdict

if TYPE_CHECKING:
    from staytrue.plugins.registry import NamedMetric


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

    examples = _read(inputs, limit)
    loaded = load_metric(metric, backend=backend, seed=seed)
    groups = {"own": examples}
    for kind in controls.KINDS[1:]:
        groups[kind] = controls.with_random_knowledge(examples, kind, seed=seed)
        if not groups[kind]:
            note(
                f"No response has knowledge of {_NEEDS[kind]}: give the rows a tag `dialogue` that "
                "says which dialogue each comes from."
            )
    judged = {kind: _judge(loaded, group) for kind, group in groups.items()}
    figures = {kind: controls.figures(verdicts) for kind, verdicts in judged.items()}
    length = controls.lengths(examples)
    correlation = controls.length_correlation(examples, judged["own"])
    if as_json:
        body = {
            "signature": loaded.signature,
            "knowledge": {kind: asdict(one) for kind, one in figures.items()},
            "length": [asdict(one) for one in length],
            "length_spearman": correlation,
        }
        click.echo(json.dumps(body, indent=2))
        return
    print_table(
        f"{loaded.name} with random knowledge",
        ("knowledge", "responses", "covered", "questions", "no answer", "score of covered"),
        [
            (kind, f.responses, f.covered, f.questions, _percent(f.unanswered),
             _number(f.question_score if f.questions else f.score))
            for kind, f in figures.items()
        ],
    )  # fmt: skip
    print_table(
        "Length of the responses",
        ("people say", "responses", "characters", "tokens"),
        [(g.group, g.responses, f"{g.characters:.1f}", f"{g.tokens:.1f}") for g in length],
    )
    click.echo(f"Spearman of tokens and score: {_number(correlation)}")
    click.echo(f"signature: {loaded.signature}")


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


def _judge(metric: NamedMetric, examples: Sequence[Example]) -> list[Verdict]:
    from staytrue.runs.runner import Evaluation, judge_all

    judged = Evaluation({metric.name: metric.signature})
    judge_all(examples, [metric], judged)
    if judged.failures:
        # Figures of other responses than those asked about would not be controls.
        first = judged.failures[0]
        raise RunError(f"{first.where}: {first.error}; leave that row out and run it again.")
    return judged.verdicts


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
