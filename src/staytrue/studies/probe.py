"""`staytrue.probe`: ask a chatbot about its persona and history, and score it (ConsisTest)."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from staytrue.core.protocols import Backend, Chatbot
from staytrue.core.records import Example, Failure, Verdict
from staytrue.core.text import counted
from staytrue.elicit.consistest.questioning import Questioning, prepare
from staytrue.elicit.talking import Limits, Listener, Sitting
from staytrue.runs.engines.cluster import Cluster
from staytrue.runs.folder import Run
from staytrue.studies import consistest
from staytrue.studies.consistest import Cell


@dataclass(frozen=True)
class ProbeResult:
    """What `probe` returns; printing it shows the mean scores."""

    bot: str
    variant: str
    scores: Mapping[str, Cell]
    """Metric → mean score with its 95 % interval; 1 is consistent."""
    answers: tuple[Example, ...]
    """The probes with the bot's responses."""
    verdicts: tuple[Verdict, ...]
    failures: tuple[Failure, ...]
    """Probes that the bot did not answer, and what else went wrong."""
    usage: Mapping[str, Mapping[str, float]]
    """Requests, retries, tokens and cost of a bot that counts them."""
    stopped: str
    """Why a limit ended the asking early; empty if none did."""
    signatures: Mapping[str, str]
    folder: Path | None = None
    """The run folder, if `out` named one."""

    def judged(self, metric: str) -> list[consistest.JudgedProbe]:
        """One row per scored answer, for the tables in `staytrue.studies.consistest`."""
        return consistest.collect(self.answers, self.verdicts, metric)

    def __str__(self) -> str:
        errors = f", {counted(len(self.failures), 'error')}" if self.failures else ""
        lines = [f"{self.bot}: {counted(len(self.answers), 'answer')}{errors}"]
        for metric, cell in self.scores.items():
            lines.append(f"{metric}: mean score [95 %] {cell}")
            lines.append(f"signature: {self.signatures[metric]}")
        if self.stopped:
            lines.append(self.stopped)
        return "\n".join(lines)


def probe(
    bot: str | Chatbot,
    probes: str | Path | Sequence[Example],
    *,
    metrics: Sequence[str] = ("hybrid",),
    backend: Backend | str | None = None,
    variant: str = "standard",
    limit: int | None = None,
    out: str | Path | None = None,
    seed: int = 0,
    batch_size: int = 64,
    retry_errors: bool = False,
    limits: Limits | None = None,
    listener: Listener | None = None,
    cluster: Cluster | None = None,
) -> ProbeResult:
    """Put placed probes to a bot and judge its answers.

    `bot` is a spec such as "openai:MODEL@URL", or an object with a `reply` method. `probes` is a
    file that `staytrue probes place` wrote, `consistest:FOLDER`, or a list of `Example`s with a
    `probe`. With `out`, answers and verdicts go into a run folder: the same call resumes it.
    `limit` asks only so many, drawn by the seed; `limits` bounds concurrency, retries, requests
    and cost. With `cluster`, workers on Ray reply and judge; bot and backend are then specs.
    """
    questioning = prepare(
        bot, probes, metrics=metrics, backend=backend, limit=limit, seed=seed, limits=limits,
        listener=listener, cluster=cluster,
    )  # fmt: skip
    if out is not None:
        sitting = questioning.sit(
            Path(out), variant, batch_size=batch_size, retry_errors=retry_errors
        )  # fmt: skip
        return replace(_result(questioning, sitting, variant), folder=Path(out))
    with tempfile.TemporaryDirectory(prefix="staytrue-") as temporary:
        return _result(
            questioning, questioning.sit(Path(temporary), variant, batch_size=batch_size), variant
        )


def _result(questioning: Questioning, sitting: Sitting, variant: str) -> ProbeResult:
    run = Run(sitting.folder)
    answers, verdicts = tuple(run.examples()), tuple(run.verdicts())
    names = [metric.name for metric in questioning.metrics]
    scores = {name: consistest.collect(answers, verdicts, name) for name in names}
    return ProbeResult(
        questioning.asker.name, variant,
        {name: consistest.mean_of(rows) for name, rows in scores.items()},
        answers, verdicts, tuple(run.failures()), sitting.usage, sitting.stopped, run.signatures,
    )  # fmt: skip
