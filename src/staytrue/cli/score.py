"""`staytrue score INPUT… --metric NAME --out RUN`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from staytrue.cli.dry_run import print_estimate, print_rehearsed
from staytrue.cli.engine import engine_options, price_option
from staytrue.cli.terminal import note, print_table, progress_bar
from staytrue.core.errors import UsageError
from staytrue.core.records import Failure, FailureKind, JsonDict
from staytrue.core.text import counted
from staytrue.runs.engines.cluster import Cluster, check_backend, check_installed
from staytrue.runs.folder import Run

if TYPE_CHECKING:
    from staytrue.stats.intervals import Interval

# Beyond this, reading the run once more for the intervals of its summary takes too long.
_MOST_READ_AGAIN = 100_000
_SHOWN_FAILURES = 10
_MOST_FAILURES_READ = 100_000
_NO_KNOWLEDGE = (
    " If another column holds the knowledge, name it with --columns knowledge=NAME; if the system "
    "message of a chat does, with --columns knowledge=system."
)

format_option = click.option(
    "--format",
    "as_parquet",
    type=click.Choice(["jsonl", "parquet"]),
    default="jsonl",
    show_default=True,
    callback=lambda context, option, value: value == "parquet",
    help="How RUN holds examples and verdicts once it is complete.",
)


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT…")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME[,option=value…]",
    help="A metric; repeat it for several. See: staytrue list metrics. [default: consistency]",
)
@click.option(
    "--against",
    type=click.Choice(["all", "knowledge", "history", "persona"]),
    help="What `consistency` judges responses against [default: all that a row has].",
)
@click.option(
    "--backend",
    metavar="NAME",
    help="Where the models come from, such as llm:MODEL@URL [default: embedded].",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Run folder to write, or to resume [default: the input's name with -run].",
)
@click.option("--columns", metavar="OURS=THEIRS,…", help="Names of your columns; ! inverts.")
@click.option("--batch-size", type=click.IntRange(1), default=64, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--shard", metavar="K/N", help="Score only part K of N; merge the runs later.")
@click.option("--strict", is_flag=True, help="Stop at the first row that does not parse.")
@click.option("--retry-errors", is_flag=True, help="Retry what failed before.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Send and write nothing; print roughly how many requests and tokens an llm backend needs, "
    "or the time and cost of a run on Ray.",
)
@click.option("--add-input", is_flag=True, help="Add the rows of another input to an existing run.")
@format_option
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@price_option
@engine_options
def command(
    inputs: tuple[str, ...],
    metrics: tuple[str, ...],
    against: str | None,
    backend: str | None,
    out: Path | None,
    columns: str | None,
    batch_size: int,
    seed: int,
    shard: str | None,
    strict: bool,
    retry_errors: bool,
    dry_run: bool,
    add_input: bool,
    as_parquet: bool,
    quiet: bool,
    cluster: Cluster | None,
) -> None:
    """Score dialogues and write a run folder; to resume an interrupted run, rerun the command.

    With another --metric, that metric's verdicts are added to an existing run.

    INPUT is a file (JSONL, CSV, TSV or Parquet, gzipped or not), - for standard input, or a named
    benchmark such as q2:PATH.
    """
    from staytrue.datasets.tabular import parse_columns
    from staytrue.runs import scoring

    metrics = _with_source(metrics or ("consistency",), against)
    scoring.check_inputs(inputs)
    out = out or _folder_for(inputs)
    mapping = parse_columns(columns) if columns else {}
    part = _parse_shard(shard)
    if dry_run:
        from staytrue.runs.engines.estimate import estimate
        from staytrue.runs.rehearsal import asks_server, rehearse

        if cluster:
            check_backend(backend)
            check_installed()
        rows = scoring.rows_of(inputs, mapping, part)
        if cluster and not asks_server(backend):
            print_estimate(
                estimate(rows, metrics, backend, cluster, seed=seed), cluster.cpu_hour_price
            )
        else:
            print_rehearsed(rehearse(rows, metrics, backend))
        return
    counted_first = cluster or (sys.stderr.isatty() and not quiet)
    total = _count(inputs, part) if counted_first else None
    with progress_bar(total, quiet=quiet) as advance:
        scored = scoring.score_files(
            inputs, out, metrics, columns=mapping, backend=backend, cluster=cluster, seed=seed,
            batch_size=batch_size, shard=part, rows=total, strict=strict,
            retry_errors=retry_errors, add_input=add_input, as_parquet=as_parquet,
            progress=advance,
        )  # fmt: skip
    counts = scored.counts
    print_failures(out, counts)
    if not quiet:
        print_summary(out, counts, scored.signatures)
        if scored.foreign.many:
            note(
                f"{scored.foreign.count} of {scored.foreign.of} examples do not look like English: "
                "the models and rules are made for English only, so do not trust these scores."
            )
        if counts["examples"]:
            print_next(out)
    if scored.unscored and not part:
        why = why_unscored(out, counts, scored.unscored)
        if counts["examples"] and "knowledge" not in mapping and not _any_knowledge(out):
            why += _NO_KNOWLEDGE
        note(f"No response has a score by {', '.join(scored.unscored)}: {why}")
    if counts["errors"] or (len(scored.unscored) == len(scored.signatures) and not part):
        sys.exit(1)


def _with_source(metrics: tuple[str, ...], against: str | None) -> tuple[str, ...]:
    """The metrics, with `--against` as an option of `consistency`."""
    if against is None:
        return metrics
    if not any(spec.partition(",")[0] == "consistency" for spec in metrics):
        raise UsageError("--against is for the metric consistency: add --metric consistency.")
    return tuple(
        f"{spec},against={against}" if spec.partition(",")[0] == "consistency" else spec
        for spec in metrics
    )


def _folder_for(inputs: tuple[str, ...]) -> Path:
    """A run folder in the working directory, named after the first input."""
    name = Path(inputs[0].partition(":")[2] or inputs[0]).name.partition(".")[0]
    if inputs[0] == "-" or not name:
        raise UsageError("Standard input has no name for the run folder: add --out RUN.")
    return Path(f"{name}-run")


def why_unscored(out: Path, counts: JsonDict, metrics: Sequence[str]) -> str:
    """The first reason that one of the metrics gives, or that there was nothing to judge."""
    if not counts["examples"]:
        return "no row could be read." if counts["unreadable"] else "the input has no examples."
    reasons = (verdict.reason for verdict in Run(out).verdicts() if verdict.metric in metrics)
    return next(reasons, "every example failed.")


def _any_knowledge(out: Path) -> bool:
    """Whether rows have what most metrics judge by, or a probe, which needs none."""
    return any(example.knowledge or example.probe for example in Run(out).examples())


def print_summary(out: Path, counts: JsonDict, signatures: Mapping[str, str]) -> None:
    """Print the table that ends every command which makes a run."""
    means, how = _means(out, counts)
    unread = counts["unreadable"]  # no metric could judge these rows
    rows = [
        (name, str(means[name]), c["scored"], c["abstained"], c["failed"] + unread)
        for name, c in counts["metrics"].items()
    ]
    title = f"{counted(counts['examples'], 'example')} in {out}"
    if unread:
        title += f", {counted(unread, 'row')} in errors.jsonl"
    columns = ("metric", "mean score [95 %]", "scored", "abstained", "errors")
    print_table(title, columns, rows)
    if how:
        click.echo(f"intervals: {how}")
    _print_citations(out, counts)
    for signature in signatures.values():
        click.echo(f"signature: {signature}")


def _print_citations(out: Path, counts: JsonDict) -> None:
    from staytrue.studies.citations import citation_means

    if counts["examples"] > _MOST_READ_AGAIN:
        return
    for name, means in citation_means(Run(out)).items():
        responses = counted(means.precision.n, "response")
        cite = "cites" if means.precision.n == 1 else "cite"
        click.echo(
            f"citations by {name}: {responses} {cite}, precision {means.precision}, "
            f"recall {means.recall}"
        )


def print_next(out: Path) -> None:
    """Name the command to type next."""
    click.echo(f"Next: staytrue report {quote(str(out))}  (every verdict with its reason)")


def _means(out: Path, counts: JsonDict) -> tuple[dict[str, Interval], str]:
    """Each metric's mean, and how its interval was made if that is not plain."""
    from staytrue.stats.intervals import mean_from_moments
    from staytrue.studies.means import metric_means

    by_metric = counts["metrics"]
    if counts["examples"] > _MOST_READ_AGAIN:
        moments = {
            name: mean_from_moments(c["mean"] or 0.0, c["sd"] or 0.0, c["scored"])
            for name, c in by_metric.items()
        }
        return (
            moments,
            "rows count as independent; the report clusters them by dialogue",
        )
    means = metric_means(Run(out), by_metric)
    clusters = [mean.clusters for mean in means.values() if mean.clusters is not None]
    return means, f"clustered by {max(clusters):,} dialogues or documents" if clusters else ""


_AGAIN = " Once the cause is fixed, --retry-errors tries them again."
_FIX = " Fix the rows and rerun the same command."


def print_failures(out: Path, counts: JsonDict, advice: str = _AGAIN) -> None:
    """Print the first failures of a run, each cause once, and where the others are."""
    if not counts["errors"]:
        return
    shown: list[Failure] = []
    alike: Counter[tuple[str, str]] = Counter()
    for failure in islice(Run(out).failures(), _MOST_FAILURES_READ):
        cause = (failure.error, failure.metric)
        if cause not in alike:
            if len(alike) == _SHOWN_FAILURES:
                continue
            shown.append(failure)
        alike[cause] += 1
    for failure in shown:
        by = f" ({failure.metric})" if failure.metric else ""
        others = alike[failure.error, failure.metric] - 1
        where = f"{failure.where} and {others:,} more" if others else failure.where
        note(f"{where}{by}: {failure.error}")
    more = counts["errors"] - alike.total()
    tail = f", {more:,} of them not shown" if more > 0 else ""
    if all(failure.kind is FailureKind.CHANGED for failure in shown):
        advice = ""  # their own sentence says what to do
    elif advice and all(f.kind is FailureKind.ROW and not f.metric for f in shown):
        advice = _FIX
    note(f"{counted(counts['errors'], 'error')}{tail}; all are in {out / 'errors.jsonl'}.{advice}")


def _parse_shard(shard: str | None) -> tuple[int, int] | None:
    if shard is None:
        return None
    number, _, of = shard.partition("/")
    if not (number.isdigit() and of.isdigit() and 1 <= int(number) <= int(of)):
        raise UsageError(f"--shard takes K/N with 1 ≤ K ≤ N, such as 1/4, not '{shard}'.")
    return int(number), int(of)


def _count(inputs: tuple[str, ...], shard: tuple[int, int] | None = None) -> int | None:
    """About how many rows; of a named benchmark as many as its file has, where it is one file.

    A shard is drawn by hashes, so it has about its share of them.
    """
    from staytrue.datasets.files import count
    from staytrue.plugins.registry import names

    named = {f"{name}:" for name in names("datasets")}
    paths = (source.partition(":") for source in inputs)
    counts = [
        count(path if f"{name}{colon}" in named else f"{name}{colon}{path}")
        for name, colon, path in paths
    ]
    if None in counts:
        return None
    return -(-sum(n for n in counts if n) // (shard[1] if shard else 1))
