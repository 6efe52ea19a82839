"""`staytrue interrogate --bot A --bot B … --out RUN`: talk, ask, judge and rank (AIH)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from staytrue.cli.engine import engine_options
from staytrue.cli.terminal import note, print_table
from staytrue.core.errors import UsageError
from staytrue.core.text import counted, decimals
from staytrue.runs.engines.cluster import Cluster

if TYPE_CHECKING:
    from staytrue.studies.aih.records import Ranking


@click.command()
@click.option(
    "--bot", "bots", multiple=True, required=True, metavar="SPEC",
    help="A chatbot, such as persona:seed=1,slip=0.2; repeat it. See: staytrue list chatbots.",
)  # fmt: skip
@click.option("--dialogues", type=click.IntRange(1), default=200, show_default=True,
              help="Dialogues per ordered pair of bots.")  # fmt: skip
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
    help="What to ask about: entity, opinion, yesno; or paper, the paper's entities unfiltered.",
)  # fmt: skip
@click.option("--delay", type=click.IntRange(0), default=0, show_default=True,
              help="Turns between an utterance and the inquiry about it.")  # fmt: skip
@click.option("--concurrency", type=click.IntRange(1), default=8, show_default=True,
              help="Replies of one bot in progress at once, at most; a slow bot gets "
              "fewer.")  # fmt: skip
@click.option("--per-minute", type=click.FloatRange(min=0, min_open=True), metavar="N",
              help="At most N requests per minute to one bot.")  # fmt: skip
@click.option("--retries", type=click.IntRange(0), metavar="N",
              help="Retries of a failed reply [default: the bot's own option].")  # fmt: skip
@click.option("--max-requests", type=click.IntRange(1), metavar="N",
              help="At most N requests this time; a dialogue that they would not cover is left "
              "for the next.")  # fmt: skip
@click.option("--max-cost", type=click.FloatRange(min=0, min_open=True), metavar="MONEY",
              help="At most this cost this time, by the bots' prices; earlier runs do not "
              "count.")  # fmt: skip
@click.option("--expert", "experts", multiple=True, metavar="SPEC",
              help="An expert's ranking to compare with: repeat it, best bot first.")  # fmt: skip
@click.option("--batch-size", type=click.IntRange(1), default=64, show_default=True)
@click.option("--draws", type=click.IntRange(1), default=1000, show_default=True,
              help="Bootstrap draws.")  # fmt: skip
@click.option("--retry-errors", is_flag=True, help="Repeat failed dialogues.")
@click.option("--dry-run", is_flag=True, help="Say hello to each bot, estimate, and stop.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@engine_options
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
    retries: int | None,
    max_requests: int | None,
    max_cost: float | None,
    per_minute: float | None,
    experts: tuple[str, ...],
    batch_size: int,
    draws: int,
    retry_errors: bool,
    dry_run: bool,
    quiet: bool,
    cluster: Cluster | None,
) -> None:
    """Let chatbots talk, ask them about what they said, judge the answers and rank the bots.

    Every bot talks with every bot, itself included. Rerun the command to resume; more bots or
    more dialogues may be added to a run.
    """
    from staytrue.cli.score import print_next
    from staytrue.cli.talking import listening, print_estimate, print_usage
    from staytrue.elicit.talking import Limits

    if dry_run:
        from staytrue.elicit.aih.interrogation import estimated, load_bots
        from staytrue.elicit.aih.talks import Plan

        plan = Plan(turns, delay, seed)
        print_estimate(estimated(load_bots(bots), dialogues, plan, concurrency), "dialogues")
        return
    if out is None:
        raise UsageError("Say where the results go: add --out RUN, or --dry-run for an estimate.")
    from staytrue.studies.aih.interrogate import interrogate

    with listening("dialogue", quiet=quiet) as listener:
        result = interrogate(
            bots, dialogues=dialogues, turns=turns, delay=delay, seed=seed, metric=metric,
            backend=backend, strategies=tuple(name.strip() for name in strategy.split(",")),
            out=out, expert=experts, draws=draws, batch_size=batch_size,
            retry_errors=retry_errors, listener=listener,
            limits=Limits(concurrency, retries, max_requests, max_cost, per_minute),
            cluster=cluster,
        )  # fmt: skip
    if not quiet:
        _print(result.ranking, result.inquiries, out)
        print_usage(result.usage)
        if result.inquiries:
            print_next(out)
    if result.stopped:
        note(f"{result.stopped} Rerun the same command to resume.")
    if result.failures:
        note(f"{counted(len(result.failures), 'error')}; all are in {out / 'errors.jsonl'}.")
    if result.failures or result.stopped:
        sys.exit(1)


def _print(ranking: Ranking, inquiries: int, out: Path) -> None:
    from staytrue.studies.aih.records import rate_of

    rows = [
        (
            bot.rank or "–", bot.bot, rate_of(bot), bot.inquiries, bot.contradictions,
            decimals(bot.inquiries_per_dialogue), decimals(bot.statements_per_turn),
            decimals(bot.induces),
        )
        for bot in ranking.bots
    ]  # fmt: skip
    columns = ("rank", "bot", "contradictions per inquiry [95 %]", "inquiries", "contradictions",
               "inquiries per dialogue", "statements per turn", "induces")  # fmt: skip
    print_table(f"{counted(inquiries, 'inquiry', 'inquiries')} in {out}", columns, rows)
    for bot in ranking.bots:
        if bot.unranked:
            click.echo(f"{bot.bot}: {bot.unranked}.")
    if len(ranking.bots) > 1:
        click.echo(ranking.how_rated)
        _print_pairs(ranking)
    if ranking.expert:
        click.echo(
            f"expert ranking: Kendall {decimals(ranking.expert.kendall)}, "
            f"Spearman {decimals(ranking.expert.spearman)}"
        )
    click.echo(f"signature: {ranking.signature}")


def _print_pairs(ranking: Ranking) -> None:
    names = [bot.bot for bot in ranking.bots]
    cells = [(i, *(decimals(ranking.matrix[i][j]) for j in names)) for i in names]
    print_table("Rate of the judged bot (column) in dialogues with (row)", ("", *names), cells)
    for one in ranking.differences:
        click.echo(
            f"{one.a} − {one.b}: {decimals(one.difference, signed=True)} "
            f"[{decimals(one.low, signed=True)}, {decimals(one.high, signed=True)}], "
            f"p = {one.p_holm:.3f}"
        )
    if len(ranking.differences) > 1:
        click.echo(f"p is corrected for {len(ranking.differences)} comparisons (Holm).")
    for curve in ranking.stability[:1]:
        needed = curve.reason if curve.needed is None else str(curve.needed)
        click.echo(f"dialogues per pair for a ranking that holds in 95 % of draws: {needed}")
