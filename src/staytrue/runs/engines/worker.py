"""What runs in a worker: models that load once, and partitions judged by the runner itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from staytrue.core.errors import RunError, StaytrueError
from staytrue.core.records import Example, Failure, FailureKind
from staytrue.plugins.registry import NamedMetric
from staytrue.runs.engines.partitions import Part, Partition
from staytrue.runs.runner import at_once, judge_all, load_metrics, usage_counted

MOST_DEATHS = 2
# Seconds for which progress waits for an answer from a busy cluster.
_LONGEST_LOOK = 30.0
Step = tuple[int, str]
"""Number of a row in its partition, and the metric that judges it."""


@dataclass(frozen=True)
class Job:
    """What every worker of a run does."""

    parts: Path
    metrics: tuple[str, ...]
    signatures: Mapping[str, str]
    backend: str | None
    seed: int
    batch_size: int


class Attempts:
    """Remembers what each worker is at: for progress, and so that it is known what one died of.

    On Ray it lives in an actor of its own. It forgets with the cluster: a driver that is killed
    takes all its workers with it, and no row is to blame for that.
    """

    def __init__(self) -> None:
        self._steps: dict[str, Step | None] = {}
        self._deaths: dict[str, Counter[Step]] = {}
        self._rows: Counter[str] = Counter()
        """Rows judged of each partition that a worker is at."""
        self._ended = 0

    def start(self, partition: str) -> dict[Step, int] | None:
        """How often workers died at each step of this partition; None if nobody has tried it."""
        self._rows[partition] = 0
        if partition not in self._steps:
            self._steps[partition] = None
            return None
        deaths = self._deaths.setdefault(partition, Counter())
        step = self._steps[partition]
        if step is not None:
            deaths[step] += 1
        self._steps[partition] = None
        return dict(deaths)

    def at(self, partition: str, step: Step) -> None:
        """A worker is about to take this step alone."""
        self._steps[partition] = step

    def done(self, partition: str, rows: int) -> None:
        """A worker has judged so many more rows."""
        self._rows[partition] += rows

    def end(self, partition: str) -> None:
        """The partition is done."""
        self._steps.pop(partition, None)
        self._deaths.pop(partition, None)
        self._ended += self._rows.pop(partition, 0)

    def judged(self) -> int:
        """Rows judged so far; fewer than before when a worker died and its rows are repeated."""
        return self._ended + self._rows.total()


class SharedAttempts:
    """The attempts of all workers, asked for over Ray."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    def start(self, partition: str) -> dict[Step, int] | None:
        """As above."""
        deaths: dict[Step, int] | None = self._answer(self._actor.start.remote(partition))
        return deaths

    def at(self, partition: str, step: Step) -> None:
        """As above."""
        self._answer(self._actor.at.remote(partition, step))

    def done(self, partition: str, rows: int) -> None:
        """As above; nobody waits for it."""
        self._actor.done.remote(partition, rows)

    def end(self, partition: str) -> None:
        """As above."""
        self._answer(self._actor.end.remote(partition))

    def judged(self) -> int:
        """As above."""
        rows: int = self._answer(self._actor.judged.remote(), timeout=_LONGEST_LOOK)
        return rows

    def _answer(self, reference: Any, timeout: float | None = None) -> Any:
        import ray

        return ray.get(reference, timeout=timeout)


class PartitionJudge:
    """Judges a partition per call; Ray Data makes one per worker and starts it anew if it dies."""

    def __init__(self, job: Job, attempts: Attempts | SharedAttempts) -> None:
        self._job = job
        self._attempts = attempts
        self._trouble = ""
        self._metrics: dict[str, NamedMetric] = {}
        try:
            loaded = load_metrics(job.metrics, backend=job.backend, seed=job.seed)
            self._metrics = {metric.name: metric for metric in loaded}
            _check_signatures(loaded, job.signatures)
        except StaytrueError as error:
            # Raised here, Ray would wrap it in pages of its own and start the worker again.
            self._trouble = str(error)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Judge the one partition of the batch, and say which part it became."""
        name = Path(str(batch["path"][0])).name
        partition = Partition.from_bytes(batch["bytes"][0])
        part, trouble = Part(), self._trouble
        if not trouble:
            try:
                with usage_counted(self._job.backend, part):
                    self._judge(name, partition, part)
            except StaytrueError as error:
                trouble = str(error)  # what was judged, and paid for, before it is kept
        trouble = self._write(part, name) or trouble
        return {"part": [name], "trouble": [trouble]}

    def _judge(self, name: str, partition: Partition, part: Part) -> None:
        metrics = [self._metrics[metric] for metric in partition.metrics]
        deaths = self._attempts.start(name)
        # Whoever dies of a single row dies of that row: the first death counts as well.
        if deaths is None and len(partition.examples) > 1:
            judge_all(
                partition.examples, metrics, part, batch_size=self._job.batch_size,
                at_once=at_once(self._job.backend), progress=partial(self._attempts.done, name),
            )  # fmt: skip
        else:
            self._judge_one_by_one(name, partition.examples, metrics, part, deaths or {})
        self._attempts.end(name)

    def _judge_one_by_one(
        self,
        name: str,
        examples: Sequence[Example],
        metrics: Sequence[NamedMetric],
        part: Part,
        deaths: Mapping[Step, int],
    ) -> None:
        """A row that workers die of twice while they judge it alone is lost, and only that one."""
        for number, example in enumerate(examples):
            for metric in metrics:
                step = number, metric.name
                if deaths.get(step, 0) >= MOST_DEATHS:
                    part.add((), (), [_deadly(example, metric.name)])
                    continue
                self._attempts.at(name, step)
                judge_all([example], [metric], part)
            self._attempts.done(name, 1)

    def _write(self, part: Part, name: str) -> str:
        try:
            part.write(self._job.parts / name)
        except OSError as error:
            return not_shared(self._job.parts, error.strerror or type(error).__name__)
        return ""


def not_shared(folder: Path, reason: str) -> str:
    """What to say where workers and driver do not see the same run folder."""
    return (
        f"A worker cannot write to {folder} ({reason}): "
        "put --out on storage that all machines of the cluster share."
    )


def _check_signatures(metrics: Sequence[NamedMetric], expected: Mapping[str, str]) -> None:
    from staytrue.runs.manifest import signature_changes

    here = {metric.name: metric.signature for metric in metrics}
    if here != dict(expected):
        raise RunError(
            f"A worker has a different signature ({signature_changes(expected, here)}): "
            "install the same version of everything on all machines of the cluster."
        )


def _deadly(example: Example, metric: str) -> Failure:
    problem = (
        f"The worker process died {MOST_DEATHS} times while it judged this row alone: "
        "it may be too long for the worker's memory."
    )
    return Failure(example.id, problem, metric, FailureKind.METRIC)
