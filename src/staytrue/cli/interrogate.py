"""`staytrue interrogate --bot A --bot B … --out RUN`: talk, ask, judge and rank (AIH)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from staytrue.cli.terminal import note, print_table, progress_bar
from staytrue.core.errors import UsageError
from staytrue.core.records import JsonDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from staytrue.cli.interrogate_run import Interrogation
    from staytrue.elicit.aih.talks import Party, Plan


@click.command()
@click.option(
    "--bot", "bots", multiple=True, required=True, metavar="SPEC",
    help="A chatbot, such as persona:seed=1,slip=0.2; repeat it. See: staytrue list chatbots.",
)  # fmt: skip
@click.option("--dialogues", type=click.IntRange(1), default=200, show_default=True,
              help="Dialogues for each ordered pair of bots.")  # fmt: skip
@click.option("--turns", type=click.IntRange(1), default=15, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="RUN", help="Run folder to write or resume."
)
@click.option("--metric", default="contradiction", show_default=True,
              metavar="NAME[,option=value…]", help="How to judge the answers.")  # fmt: skip
@click.option("--backend", metavar="NAME", help="Where the models come from [default: embedded].")
@click.option(
    "--strategy", default="entity", show_default=True, metavar="NAME[,NAME…]",
    help="What to ask about: entity (the paper's), opinion, yesno.",
)  # fmt: skip
@click.option("--delay", type=click.IntRange(0), default=0, show_default=True,
              help="Turns between an utterance and the inquiry about it.")  # fmt: skip
@click.option("--concurrency", type=click.IntRange(1), default=8, show_default=True,
              help="Replies under way at once.")  # fmt: skip
@click.option("--max-requests", type=click.IntRange(1), metavar="N",
              help="Requests of this sitting; a dialogue that they would not cover is left "
              "for the next.")  # fmt: skip
@click.option("--max-cost", type=click.FloatRange(min=0, min_open=True), metavar="MONEY",
              help="Money for this sitting, by the bots' prices; earlier sittings do not "
              "count.")  # fmt: skip
@click.option("--expert", "experts", multiple=True, metavar="SPEC",
              help="An expert's ranking to compare with: one bot each, best first.")  # fmt: skip
@click.option("--batch-size", type=click.IntRange(1), default=64, show_default=True)
@click.option("--draws", type=click.IntRange(1), default=1000, show_default=True,
              help="Bootstrap draws.")  # fmt: skip
@click.option("--retry-errors", is_flag=True, help="Hold failed dialogues again.")
@click.option("--dry-run", is_flag=True, help="Say hello to each bot, estimate, and stop.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def command(
    bots: tuple[str, ...],
    dialogues: int,
    turns: int,
    seed: int,
    out: Path | None,
    metric: str,
    backend: str | None,
    strategy: str,
    delay: int,
    concurrency: int,
    max_requests: int | None,
    max_cost: float | None,
    experts: tuple[str, ...],
    batch_size: int,
    draws: int,
    retry_errors: bool,
    dry_run: bool,
    quiet: bool,
) -> None:
    """Let chatbots talk, ask them about what they said, judge the answers and rank the bots.

    Every bot talks with every bot, itself included. The same command again resumes; more bots or
    more dialogues may be added to a run.
    """
    from staytrue.cli.interrogate_run import Interrogation, load_parties
    from staytrue.elicit.aih.talks import Plan
    from staytrue.plugins.registry import load_backend, load_metric

    if out is None and not dry_run:
        raise UsageError("Say where the results go: add --out RUN, or --dry-run for an estimate.")
    _check(bots, experts)
    parties = load_parties(bots)
    plan = Plan(turns, delay, seed)
    if dry_run:
        _print_estimate(parties, dialogues, plan, concurrency)
        return
    assert out is not None
    models = load_backend(backend or "embedded")
    work = Interrogation(
        parties, dialogues, plan, load_metric(metric, backend=models, seed=seed), models,
        tuple(name.strip() for name in strategy.split(",")), concurrency, max_requests, max_cost,
    )  # fmt: skip
    counts = _hold(work, out, batch_size, retry_errors, quiet)
    ranking = work.rank(out, draws=draws, expert=experts)
    if not quiet:
        _print(ranking, counts, out)
        _print_usage(counts["usage"])
    if work.stopped:
        note(f"{work.stopped} Run the same command again to go on.")
    if counts["errors"]:
        note(f"{counts['errors']} errors; all are in {out / 'errors.jsonl'}.")
    if counts["errors"] or work.stopped:
        sys.exit(1)


def _check(bots: tuple[str, ...], experts: tuple[str, ...]) -> None:
    if len(set(bots)) < len(bots):
        raise UsageError("A bot is named twice: name each once, or with other options.")
    if experts and sorted(experts) != sorted(bots):
        raise UsageError("--expert must name every --bot once, exactly as typed, best first.")


def _hold(
    work: Interrogation, out: Path, batch_size: int, retry_errors: bool, quiet: bool
) -> JsonDict:
    from staytrue.runs import runner
    from staytrue.runs.store import RunWriter

    with (
        RunWriter(
            out, {work.metric.name: work.signature}, seed=work.plan.seed, settings=work.settings,
            retry_errors=retry_errors,
        ) as writer,
        progress_bar(work.total, quiet=quiet) as advance,
    ):  # fmt: skip
        source = work.elicited(out, writer, advance)
        try:
            runner.judge_all(source, [work.metric], writer, batch_size=batch_size)
        finally:
            # Also of a sitting that is broken off: it cost as much.
            for bot, counted in work.usage().items():
                writer.add_usage(bot, counted)
        return {**writer.counts, "usage": writer.usage}


def _print_estimate(
    parties: Mapping[str, Party], dialogues: int, plan: Plan, concurrency: int
) -> None:
    from staytrue.cli.interrogate_run import estimate

    found = estimate(parties, dialogues, plan, concurrency)
    rows = [(name, f"{expected:,.0f}", f"{most:,.0f}") for name, (expected, most) in found.items()]
    print_table("Estimate, from one reply of each bot", ("", "expected", "at most"), rows)


def _print(ranking: JsonDict, counts: JsonDict, out: Path) -> None:
    rows = [
        (
            bot["rank"] or "–", bot["bot"], _rate(bot), bot["inquiries"], bot["contradictions"],
            _number(bot["induces"]), _number(bot["inquiries_per_dialogue"]),
        )
        for bot in ranking["bots"]
    ]  # fmt: skip
    columns = ("rank", "bot", "contradiction rate [95 %]", "inquiries", "contradictions",
               "induces", "inquiries a dialogue")  # fmt: skip
    print_table(f"{counts['examples']} inquiries in {out}", columns, rows)
    names = [bot["bot"] for bot in ranking["bots"]]
    if len(names) > 1:
        cells = [(i, *(_number(ranking["matrix"][i][j]) for j in names)) for i in names]
        print_table("Rate of the judged bot (column) in talks with (row)", ("", *names), cells)
        for one in ranking["differences"]:
            click.echo(
                f"{one['a']} − {one['b']}: {one['difference']:+.3f} "
                f"[{one['low']:+.3f}, {one['high']:+.3f}], p = {one['p']:.3f}"
            )
        _print_needed(ranking)
    if "expert" in ranking:
        expert = ranking["expert"]
        click.echo(
            f"expert ranking: Kendall {_number(expert['kendall'])}, "
            f"Spearman {_number(expert['spearman'])}"
        )
    click.echo(f"signature: {ranking['signature']}")


def _print_needed(ranking: JsonDict) -> None:
    needed = ranking["dialogues_needed"]["all bots"]
    size = ranking["stability"]["all bots"][-1]["dialogues"] if ranking["stability"] else 0
    if needed is None:
        click.echo(f"dialogues a pair for a ranking that holds in 95 % of draws: more than {size}")
    else:
        click.echo(f"dialogues a pair for a ranking that holds in 95 % of draws: {needed}")


def _print_usage(usage: Mapping[str, Mapping[str, float]]) -> None:
    """One line with what all bots together have used, over all sittings."""
    if usage:
        names = ("requests", "retries", "tokens_in", "tokens_out", "cost")
        total = {name: sum(counted[name] for counted in usage.values()) for name in names}
        click.echo(
            f"used so far: {total['requests']:,} requests ({total['retries']:,} of them retries), "
            f"{total['tokens_in']:,} tokens in, {total['tokens_out']:,} tokens out, "
            f"cost {total['cost']:.4f}"
        )


def _rate(bot: JsonDict) -> str:
    if bot["contradiction_rate"] is None:
        return "no inquiries"
    return f"{bot['contradiction_rate']:.3f} [{bot['low']:.3f}, {bot['high']:.3f}]"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
