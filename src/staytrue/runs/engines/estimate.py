"""About how long a run on Ray takes, and what it costs, from a small sample judged here."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from staytrue.core.errors import UsageError
from staytrue.core.records import Example, Failure
from staytrue.plugins.registry import DEFAULT_BACKEND, parse_spec
from staytrue.runs import runner
from staytrue.runs.engines.cluster import PARTITION_SIZE, Cluster, connected, usable_cores
from staytrue.runs.engines.driver import DriverSeconds, measure_driver

SAMPLE = 32


@dataclass(frozen=True)
class JudgingEstimate:
    """What a run needs, about."""

    rows: int
    unreadable: int
    workers: int
    cpus: int
    """CPUs of a worker."""
    start: float
    """Seconds until a worker has loaded its models."""
    per_row: float
    """Seconds that one worker takes for one row."""
    read: float
    """Seconds to read all rows."""
    driver: DriverSeconds
    """What the one driver takes beside the workers."""

    @property
    def sample(self) -> int:
        """How many rows were judged for it."""
        return min(self.rows, SAMPLE)

    @property
    def staging(self) -> float:
        """Until judging begins: one process reads the rows and writes them into partitions."""
        return self.read + self.driver.stage * self.rows

    @property
    def working(self) -> float:
        """From the start of the workers to the last verdict; one process stores meanwhile."""
        judging = self.per_row * self.rows / self.workers
        return self.start + max(judging, self.driver.store * self.rows)

    @property
    def seconds(self) -> float:
        """From the command to the last verdict."""
        return self.staging + self.working

    @property
    def cpu_hours(self) -> float:
        """What the workers hold meanwhile; they start when everything is staged."""
        return self.working * self.workers * self.cpus / 3600


def estimate(
    source: Iterable[Example | Failure],
    metrics: Sequence[str],
    backend: str | None,
    cluster: Cluster,
    *,
    seed: int = 0,
) -> JudgingEstimate:
    """Count the rows, and judge a random few of them here, on as many CPUs as a worker has."""
    begun = time.perf_counter()
    sample, rows, unreadable = _drawn(source)
    read = time.perf_counter() - begun
    if not sample:
        raise UsageError("The input has no examples: there is nothing to estimate.")
    backend = _with_threads(backend or DEFAULT_BACKEND, cluster.cpus)
    started = time.perf_counter()
    loaded = runner.load_metrics(metrics, backend=backend, seed=seed)
    evaluation = runner.Evaluation({})
    runner.judge_all(sample[:1], loaded, runner.Evaluation({}))
    ready = time.perf_counter()
    runner.judge_all(sample, loaded, evaluation)
    per_row = (time.perf_counter() - ready) / len(sample)
    driver = measure_driver(
        sample, evaluation.verdicts, partition_size=cluster.partition_size or PARTITION_SIZE
    )
    if cluster.workers is None and cluster.address:
        with connected(cluster) as most:
            workers = most
    else:
        workers = cluster.workers or max(1, usable_cores() // cluster.cpus)
    return JudgingEstimate(
        rows, unreadable, workers, cluster.cpus, ready - started, per_row, read, driver
    )


def _with_threads(backend: str, threads: int) -> str:
    """The backend with as many threads as it has in a worker."""
    name, given = parse_spec(backend)
    own = name != DEFAULT_BACKEND or "threads" in given
    return backend if own else f"{backend},threads={threads}"


def _drawn(source: Iterable[Example | Failure]) -> tuple[list[Example], int, int]:
    """A random sample of the examples, how many there are, and how many rows are none."""
    draw = random.Random(0)
    sample: list[Example] = []
    rows = unreadable = 0
    for item in source:
        if isinstance(item, Failure):
            unreadable += 1
            continue
        rows += 1
        if len(sample) < SAMPLE:
            sample.append(item)
        elif (index := draw.randrange(rows)) < SAMPLE:
            sample[index] = item
    return sample, rows, unreadable
