"""ConsisTest's eliciting half: one bot is asked placed probes, and its answers are judged."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from staytrue.core.errors import RunError, UsageError
from staytrue.core.protocols import Backend, Chatbot
from staytrue.core.records import Example, Failure
from staytrue.core.redaction import redact
from staytrue.elicit.consistest.asking import Asker, with_question
from staytrue.elicit.consistest.variants import vary
from staytrue.elicit.talking import Crew, Estimate, Limits, Listener, Range, Sitting, sit
from staytrue.elicit.talking.estimate import estimate, seconds_per_reply
from staytrue.plugins import registry
from staytrue.plugins.registry import NamedMetric
from staytrue.runs import runner
from staytrue.runs.engines.cluster import Cluster
from staytrue.runs.folder import MANIFEST, Run
from staytrue.runs.writer import RunWriter

_STORE_EVERY = 1.0  # seconds
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Probes:
    """What a bot is asked, and the rows of the file that are no probes."""

    source: str
    samples: Sequence[Example]
    failures: Sequence[Failure] = ()
    limit: int | None = None


def read_probes(source: str, *, limit: int | None = None, seed: int = 0) -> Probes:
    """The placed probes of a file or a named dataset; `limit` of them, drawn by the seed."""
    rows = list(runner.read_inputs([source]))
    samples = [row for row in rows if isinstance(row, Example)]
    failures = [row for row in rows if isinstance(row, Failure)]
    if not any(sample.probe for sample in samples):
        raise UsageError(f"{source} has no probes: make some with  staytrue probes build.")
    return Probes(source, drawn(samples, limit, seed), failures, limit)


def drawn(samples: Sequence[Example], limit: int | None, seed: int) -> Sequence[Example]:
    """`limit` samples in their order, drawn by the seed; all of them without a limit."""
    if limit is None or limit >= len(samples):
        return samples
    return [samples[n] for n in sorted(random.Random(seed).sample(range(len(samples)), limit))]


@dataclass(frozen=True)
class Questioning:
    """Whom to ask what, and who judges; bot, probes and metrics serve every variant."""

    asker: Asker
    probes: Probes
    metrics: Sequence[NamedMetric]
    crew: Crew | None = None
    """Who replies and judges, if not this process."""

    def samples(self, variant: str = "standard") -> list[Example]:
        """The probes as the variant shows them."""
        return [vary(sample, variant, self.asker.seed) for sample in self.probes.samples]

    def sit(
        self,
        out: Path,
        variant: str = "standard",
        *,
        batch_size: int = runner.BATCH_SIZE,
        retry_errors: bool = False,
    ) -> Sitting:
        """Ask and judge what the run folder does not have yet."""
        _check_same_bot(out, self.asker.name, variant)
        samples = self.samples(variant)
        settings = {
            "inputs": [self.probes.source], "bot": self.asker.name, "variant": variant,
            "limit": self.probes.limit,
        }  # fmt: skip
        return sit(
            self.asker.talking,
            lambda writer: itertools.chain(self.probes.failures, self._answers(samples, writer)),
            self.metrics, out, settings=settings, seed=self.asker.seed, batch_size=batch_size,
            retry_errors=retry_errors, crew=self.crew, rows=len(samples),
        )  # fmt: skip

    def _answers(
        self, samples: Sequence[Example], writer: RunWriter
    ) -> Iterator[Example | Failure]:
        """Answers that the run does not have; one that a kill left unjudged is not asked again."""
        names = [metric.name for metric in self.metrics]
        unjudged = {
            stored.id: stored
            for stored in Run(writer.folder).examples()
            if not all(writer.has(stored.id, name) for name in names)
        }
        yield from unjudged.values()
        unanswered = [
            sample
            for sample in samples
            if sample.id not in unjudged and not writer.has(sample.id, names[0])
        ]
        todo = [sample for sample in unanswered if not writer.has(sample.id, "")]
        self.asker.talking.expect(
            len(samples), done=len(samples) - len(unanswered), failed=len(unanswered) - len(todo)
        )
        fresh: list[Example] = []
        stored = time.monotonic()
        for answer in self.asker.ask_all(todo):
            if isinstance(answer, Example):
                fresh.append(answer)
            # An answer may have cost money: a kill before its batch is judged must not lose it.
            if time.monotonic() - stored > _STORE_EVERY:
                writer.add(fresh)
                fresh, stored = [], time.monotonic()
            yield answer


def prepare(
    bot: str | Chatbot,
    probes: str | Path | Sequence[Example],
    *,
    metrics: Sequence[str] = ("hybrid",),
    backend: Backend | str | None = None,
    limit: int | None = None,
    seed: int = 0,
    limits: Limits | None = None,
    listener: Listener | None = None,
    cluster: Cluster | None = None,
) -> Questioning:
    """Load bot, probes and metrics once; `sit` then asks them, in one variant or in several."""
    if isinstance(probes, (str, Path)):
        read = read_probes(str(probes), limit=limit, seed=seed)
    else:
        read = Probes("probes from Python", drawn(probes, limit, seed), (), limit)
    name = bot if isinstance(bot, str) else type(bot).__name__
    loaded = registry.load_chatbot(bot) if isinstance(bot, str) else bot
    crew = None
    if cluster:
        crew = Crew(cluster, [bot], backend=backend, limits=limits)
        loaded = crew.bots({name: loaded})[name]
    asker = Asker(loaded, name, limits, listener, seed=seed)
    return Questioning(asker, read, runner.load_metrics(metrics, backend=backend, seed=seed), crew)


def question(
    bot: str | Chatbot,
    probes: str | Path | Sequence[Example],
    runs: Mapping[str, Path],
    *,
    metrics: Sequence[str] = ("hybrid",),
    backend: Backend | str | None = None,
    limit: int | None = None,
    seed: int = 0,
    batch_size: int = runner.BATCH_SIZE,
    retry_errors: bool = False,
    limits: Limits | None = None,
    listener: Listener | None = None,
    cluster: Cluster | None = None,
) -> list[Sitting]:
    """Ask a bot in each variant and judge its answers; `runs` is variant → run folder."""
    questioning = prepare(
        bot, probes, metrics=metrics, backend=backend, limit=limit, seed=seed, limits=limits,
        listener=listener, cluster=cluster,
    )  # fmt: skip
    return [
        questioning.sit(out, variant, batch_size=batch_size, retry_errors=retry_errors)
        for variant, out in runs.items()
    ]


def estimated(
    bot: str,
    probes: str,
    variant: str = "standard",
    *,
    metrics: Sequence[str] = ("hybrid",),
    backend: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    limits: Limits | None = None,
) -> Estimate:
    """What asking all probes will take, from one of them; metrics are checked, too."""
    questioning = prepare(
        bot, probes, metrics=metrics, backend=backend, limit=limit, seed=seed, limits=limits
    )
    samples, talking = questioning.samples(variant), questioning.asker.talking
    trial = samples[0]
    seconds = seconds_per_reply(
        talking.bots, with_question(trial), persona=trial.persona, seed=seed,
        concurrency=talking.concurrency,
    )  # fmt: skip
    read = sum(
        len(line) for s in samples for line in (*s.persona, *(turn.text for turn in s.history))
    )
    requests = Range(len(samples), len(samples))
    tokens_in = read / _CHARACTERS_PER_TOKEN / len(samples)
    return estimate(talking.bots, len(samples), requests, seconds, tokens_in)


def _check_same_bot(out: Path, bot: str, variant: str) -> None:
    if not (out / MANIFEST).is_file():
        return
    before = Run(out).manifest["settings"]
    if before.get("bot") != redact(bot) or before.get("variant") != variant:
        raise RunError(
            f"{out} was made with bot {before.get('bot')} and variant {before.get('variant')}: "
            "choose another --out folder."
        )
