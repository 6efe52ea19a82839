"""`staytrue probe`: put probes to a chatbot and judge its answers (ConsisTest)."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from staytrue.cli.terminal import note, progress_bar
from staytrue.core.errors import RunError, UsageError
from staytrue.core.records import Example, Failure

if TYPE_CHECKING:
    from staytrue.elicit.consistest.asking import Asker
    from staytrue.plugins.registry import NamedMetric
    from staytrue.runs.store import RunWriter

VARIANTS = ("standard", "fact", "fact-last", "fact-first", "permuted")
_TRIALS = 3
_STORE_EVERY = 1.0  # seconds


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
@click.option("--concurrency", type=click.IntRange(1), default=4, show_default=True)
@click.option("--retries", type=click.IntRange(0), default=2, show_default=True)
@click.option("--batch-size", type=click.IntRange(1), default=64, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--retry-errors", is_flag=True, help="Ask again where the bot failed before.")
@click.option("--dry-run", is_flag=True, help="Ask three probes, estimate time and cost, stop.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def command(
    spec: str,
    probes: str,
    out: Path | None,
    metrics: tuple[str, ...],
    backend: str | None,
    variant: str,
    limit: int | None,
    concurrency: int,
    retries: int,
    batch_size: int,
    seed: int,
    retry_errors: bool,
    dry_run: bool,
    quiet: bool,
) -> None:
    """Ask a chatbot about its persona and history, and judge its answers.

    The same command again resumes: probes that were answered and judged are not asked again.
    """
    if out is None and not dry_run:
        raise UsageError("Say where the answers go: add --out RUN, or --dry-run for an estimate.")
    questioning = Questioning(
        spec, probes, metrics, backend, limit, concurrency, retries, batch_size, seed,
        retry_errors, quiet,
    )  # fmt: skip
    if out is None or dry_run:
        _estimate(questioning.asker, questioning.samples(variant))
    elif ask_and_judge(questioning, variant, out):
        sys.exit(1)


@dataclass(frozen=True)
class Questioning:
    """Whom to ask what, and how; probes, bot and metrics are loaded once for all variants."""

    spec: str
    probes: str
    metrics: tuple[str, ...] = ("hybrid",)
    backend: str | None = None
    limit: int | None = None
    concurrency: int = 4
    retries: int = 2
    batch_size: int = 64
    seed: int = 0
    retry_errors: bool = False
    quiet: bool = False

    def samples(self, variant: str) -> list[Example]:
        """The probes as the variant shows them."""
        from staytrue.elicit.consistest.variants import vary

        return [vary(sample, variant, self.seed) for sample in self.read[0]]

    @cached_property
    def read(self) -> tuple[list[Example], list[Failure]]:
        """The probes, and the rows that are none."""
        return _read(self.probes, self.limit, self.seed)

    @cached_property
    def asker(self) -> Asker:
        """The bot, loaded and ready to be asked."""
        from staytrue.elicit.consistest.asking import Asker
        from staytrue.plugins import registry

        bot = registry.load_chatbot(self.spec)
        return Asker(bot, self.concurrency, self.retries, seed=self.seed)

    @cached_property
    def judges(self) -> list[NamedMetric]:
        """The metrics, loaded."""
        from staytrue.runs import runner

        return runner.load_metrics(self.metrics, backend=self.backend, seed=self.seed)


def ask_and_judge(asked: Questioning, variant: str, out: Path) -> bool:
    """Ask and judge what the run folder does not have yet; says whether anything went wrong."""
    from staytrue.cli.score import print_failures, print_summary, why_unscored
    from staytrue.core.usage import usage_of
    from staytrue.runs import runner
    from staytrue.runs.store import RunWriter

    samples, failures = asked.samples(variant), asked.read[1]
    usage = usage_of(asked.asker.bot)
    before = replace(usage) if usage is not None else None
    signatures = {metric.name: metric.signature for metric in asked.judges}
    settings = {
        "inputs": [asked.probes], "bot": asked.spec, "variant": variant, "limit": asked.limit,
    }  # fmt: skip
    _check_same_bot(out, asked.spec, variant)
    names = list(signatures)
    with (
        RunWriter(
            out, signatures, seed=asked.seed, settings=settings, retry_errors=asked.retry_errors
        ) as writer,
        progress_bar(len(samples), quiet=asked.quiet) as advance,
    ):
        try:
            runner.judge_all(
                itertools.chain(failures, _answers(asked.asker, samples, writer, names)),
                asked.judges, writer, batch_size=asked.batch_size, progress=advance,
            )  # fmt: skip
        finally:  # what was spent is known even if the run is interrupted
            if usage is not None and before is not None and usage.requests > before.requests:
                writer.add_usage(asked.spec, usage.since(before).to_json())
        counts = writer.counts
    print_failures(out, counts)
    scored = sum(metric["scored"] for metric in counts["metrics"].values())
    if not asked.quiet:
        print_summary(out, counts, signatures)
        if scored:
            from staytrue.cli.probe_analyses import print_scores

            print_scores([out])
    if not scored:
        note(f"No answer has a score: {why_unscored(out, counts, names)}")
    return not scored or bool(counts["errors"])


def _read(probes: str, limit: int | None, seed: int) -> tuple[list[Example], list[Failure]]:
    import random

    from staytrue.runs import runner

    found = list(runner.read_inputs([probes]))
    samples = [item for item in found if isinstance(item, Example)]
    failures = [item for item in found if isinstance(item, Failure)]
    if not any(sample.probe for sample in samples):
        raise UsageError(f"{probes} has no probes: make some with  staytrue probes build.")
    if limit is not None and limit < len(samples):
        drawn = sorted(random.Random(seed).sample(range(len(samples)), limit))
        samples = [samples[place] for place in drawn]
    return samples, failures


def _answers(
    asker: Asker, samples: Iterable[Example], writer: RunWriter, metrics: list[str]
) -> Iterator[Example | Failure]:
    """Answers that the run does not have; one that a kill left unjudged is not asked again."""
    from staytrue.runs.store import Run

    unjudged = {
        stored.id: stored
        for stored in Run(writer.folder).examples()
        if not all(writer.has(stored.id, metric) for metric in metrics)
    }
    yield from unjudged.values()
    asked = asker.ask_all(
        sample
        for sample in samples
        if sample.id not in unjudged
        and not writer.has(sample.id, metrics[0])
        and not writer.has(sample.id, "")
    )
    fresh: list[Example] = []
    stored = time.monotonic()
    for answer in asked:
        if isinstance(answer, Example):
            fresh.append(answer)
        # An answer may have cost money: a kill before its batch is judged must not lose it.
        if time.monotonic() - stored > _STORE_EVERY:
            writer.add(fresh)
            fresh, stored = [], time.monotonic()
        yield answer


def _check_same_bot(out: Path, spec: str, variant: str) -> None:
    from staytrue.core.redaction import redact
    from staytrue.runs.store import MANIFEST, Run

    if not (out / MANIFEST).is_file():
        return
    before = Run(out).manifest["settings"]
    if before.get("bot") != redact(spec) or before.get("variant") != variant:
        raise RunError(
            f"{out} was made with bot {before.get('bot')} and variant {before.get('variant')}: "
            "choose another --out folder."
        )


def _estimate(asker: Asker, samples: list[Example]) -> None:
    """Ask a few, and say what all of them would take."""
    from staytrue.core.usage import usage_of

    trials = samples[:_TRIALS]
    asker.ask(trials[0])  # what loads at the first reply is not part of the rate
    start = time.monotonic()
    for sample in trials:
        answer = asker.ask(sample)
        if isinstance(answer, Failure):
            raise UsageError(f"The trial failed: {answer.error}")
    each = (time.monotonic() - start) / len(trials)
    seen = sum(
        len(line) for s in samples for line in (*s.persona, *(turn.text for turn in s.history))
    )
    click.echo(f"{len(samples):,} probes to ask, about {seen // 4:,} tokens in.")
    click.echo(
        f"About {each * len(samples) / asker.concurrency:,.0f} seconds with "
        f"{asker.concurrency} at once ({each:.2f} seconds each)."
    )
    usage = usage_of(asker.bot)
    if usage is not None and usage.requests:
        share = len(samples) / (len(trials) + 1)
        tokens = int((usage.tokens_in + usage.tokens_out) * share)
        click.echo(f"About {tokens:,} tokens and a cost of {usage.cost * share:.2f}.")
