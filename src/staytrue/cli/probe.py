"""`staytrue probe`: put probes to a chatbot and judge its answers (ConsisTest)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from staytrue.cli.engine import engine_options
from staytrue.cli.terminal import note
from staytrue.core.errors import UsageError
from staytrue.runs.engines.cluster import Cluster

if TYPE_CHECKING:
    from staytrue.elicit.talking import Sitting

VARIANTS = ("standard", "fact", "fact-last", "fact-first", "permuted")


@click.command()
@click.option("--bot", "spec", required=True, metavar="SPEC", help="See: staytrue list chatbots.")
@click.option(
    "--probes", required=True, metavar="FILE",
    help="Placed probes, or the released ones: consistest:FOLDER.",
)  # fmt: skip
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="RUN", help="Run folder to write or resume."
)
@click.option(
    "--metric", "metrics", multiple=True, default=("hybrid",), show_default=True,
    metavar="NAME[,option=value…]", help="How to judge the answers; repeat it for several.",
)  # fmt: skip
@click.option("--backend", metavar="NAME", help="Where the models come from [default: embedded].")
@click.option(
    "--variant", type=click.Choice(VARIANTS), default="standard", show_default=True,
    help="What the bot sees besides the question.",
)  # fmt: skip
@click.option("--limit", type=click.IntRange(1), help="Ask only this many, drawn by the seed.")
@click.option("--concurrency", type=click.IntRange(1), default=8, show_default=True,
              help="Replies in progress at once, at most; a slow bot gets fewer.")  # fmt: skip
@click.option("--per-minute", type=click.FloatRange(min=0, min_open=True), metavar="N",
              help="At most N requests per minute to one bot.")  # fmt: skip
@click.option("--retries", type=click.IntRange(0), metavar="N",
              help="Retries of a failed reply [default: the bot's own option].")  # fmt: skip
@click.option("--max-requests", type=click.IntRange(1), metavar="N",
              help="At most N requests this time; rerun to ask the rest.")  # fmt: skip
@click.option("--max-cost", type=click.FloatRange(min=0, min_open=True), metavar="MONEY",
              help="At most this cost this time, by the bot's prices.")  # fmt: skip
@click.option("--batch-size", type=click.IntRange(1), default=64, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--retry-errors", is_flag=True, help="Ask again where the bot failed before.")
@click.option("--dry-run", is_flag=True, help="Ask one probe, estimate time and cost, and stop.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@engine_options
def command(
    spec: str,
    probes: str,
    out: Path | None,
    metrics: tuple[str, ...],
    backend: str | None,
    variant: str,
    limit: int | None,
    concurrency: int,
    retries: int | None,
    max_requests: int | None,
    max_cost: float | None,
    per_minute: float | None,
    batch_size: int,
    seed: int,
    retry_errors: bool,
    dry_run: bool,
    quiet: bool,
    cluster: Cluster | None,
) -> None:
    """Ask a chatbot about its persona and history, and judge its answers.

    Interrupted runs resume: rerun the same command, and only unanswered probes are asked.
    """
    from staytrue.cli.score import print_next
    from staytrue.cli.talking import listening, print_estimate, print_usage
    from staytrue.elicit.consistest.questioning import estimated, question
    from staytrue.elicit.talking import Limits

    limits = Limits(concurrency, retries, max_requests, max_cost, per_minute)
    if dry_run:
        estimate = estimated(
            spec, probes, variant, metrics=metrics, backend=backend, limit=limit, seed=seed,
            limits=limits,
        )  # fmt: skip
        print_estimate(estimate, "probes to ask")
        return
    if out is None:
        raise UsageError("Say where the answers go: add --out RUN, or --dry-run for an estimate.")
    with listening("probe", quiet=quiet) as listener:
        (sitting,) = question(
            spec, probes, {variant: out}, metrics=metrics, backend=backend, limit=limit, seed=seed,
            batch_size=batch_size, retry_errors=retry_errors, limits=limits, listener=listener,
            cluster=cluster,
        )  # fmt: skip
    failed = report(sitting, quiet=quiet)
    if not quiet:
        print_usage(sitting.usage)
        if sitting.counts["examples"]:
            print_next(out)
    if failed:
        sys.exit(1)


def report(sitting: Sitting, *, quiet: bool) -> bool:
    """Print what a sitting gave; says whether anything went wrong."""
    from staytrue.cli.probe_analyses import print_scores
    from staytrue.cli.score import print_failures, print_summary, why_unscored
    from staytrue.runs.folder import Run

    out, counts = sitting.folder, sitting.counts
    signatures = Run(out).signatures
    print_failures(out, counts)
    if not quiet:
        print_summary(out, counts, signatures)
        if sitting.scored:
            print_scores([out])
    if sitting.stopped:
        note(f"{sitting.stopped} Rerun the same command to resume.")
    if not sitting.scored:
        note(f"No answer has a score: {why_unscored(out, counts, list(signatures))}")
    return not sitting.scored or bool(sitting.errors) or bool(sitting.stopped)
