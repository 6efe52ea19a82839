"""Write docs/scale.md: `python -m reproduce.scale` (a quarter of an hour on an idle machine).

Time and cost of runs on Ray from a thousand to a billion responses: a model with few terms, from
what is measured here, checked by a simulation of what the model leaves out.
"""

from __future__ import annotations

import argparse
import heapq
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import NormalDist, fmean

from benchmarks.begin import varied

import staytrue
from reproduce.pages import REPOSITORY, table, weights
from reproduce.performance import conditions_here, examples_of
from staytrue.core.records import Example, Failure
from staytrue.english.parses import SPARE_TORCH
from staytrue.runs.engines.cluster import PARTITION_SIZE, Cluster, connected, judge_on_ray
from staytrue.runs.engines.driver import measure_driver
from staytrue.runs.runner import load_metrics
from staytrue.runs.writer import RunWriter

PAGE = REPOSITORY / "docs" / "scale.md"
SIZES = tuple(10**power for power in range(3, 10))
# Bytes per row that the driver keeps: keys of ids, contents and verdicts, with room to grow.
KEY_BYTES = 120
# Bytes per row that `compare` takes for two runs, measured with 50,000 and 150,000 rows; `report`
# takes half of it.
COMPARED_BYTES = 1_000
# What one driver gets where one is not enough: its run can still be compared on that machine.
ROWS_PER_DRIVER = 5_000_000
HOUR = 3600.0
# Rows per worker of the real runs: seconds of judging, against which a look is short.
SCALING_ROWS = 400
_SECONDS_BETWEEN_LOOKS = 0.1
_MOST_PARTITIONS = 100_000
# With few workers it is luck whether one of them is slow, so they are simulated often; many workers
# have luck of both kinds among them. No more steps than take seconds.
_LEAST_SEEDS, _MOST_SEEDS, _SIMULATED_WORKERS, _MOST_STEPS = 3, 200, 4_000, 200_000


@dataclass(frozen=True)
class MachineRates:
    """What a run is made of; rates are per second."""

    judge: float
    """Rows that one worker judges."""
    stage: float
    """Rows that the driver reads and writes into partitions, before judging begins."""
    store: float
    """Rows whose results the driver takes into the run, while others are judged."""
    start: float
    """Seconds until a worker has loaded its models."""
    latency: float = 0.05
    """Seconds that a partition takes beside judging: scheduling, and the object store twice."""
    slow_share: float = 0.05
    slow_factor: float = 3.0
    """This share of the workers takes this many times as long."""
    losses: float = 0.02
    """How often a worker is lost, per hour."""
    memory: float = 8e9
    """Bytes that the driver may use."""


@dataclass(frozen=True)
class RunPlan:
    """How a run is spread."""

    rows: int
    workers: int
    partition: int

    @property
    def partitions(self) -> int:
        return -(-self.rows // self.partition)


@dataclass(frozen=True)
class Times:
    """Seconds of each stretch of a run."""

    start: float
    stage: float
    judge: float
    tail: float
    store_bound: bool

    @property
    def total(self) -> float:
        return self.start + self.stage + self.judge + self.tail


def plan_for(rows: int, site: MachineRates, *, hours: float = 1.0, most: int = 100_000) -> RunPlan:
    """So many workers that judging takes about this long, and partitions that keep them busy."""
    workers = max(1, min(most, math.ceil(rows / (site.judge * hours * HOUR))))
    fair = max(1, rows // (workers * 4))
    return RunPlan(rows, workers, max(min(256, fair), -(-rows // _MOST_PARTITIONS)))


def model(plan: RunPlan, site: MachineRates) -> Times:
    """What a run takes on average: the slow workers are as many as expected, or one more."""
    expected = site.slow_share * plan.workers
    fewer = math.floor(expected)
    one, other = (_times(plan, site, min(slow, plan.workers)) for slow in (fewer, fewer + 1))
    more = expected - fewer

    def mean(this: float, that: float) -> float:
        return (1 - more) * this + more * that

    return Times(
        mean(one.start, other.start), mean(one.stage, other.stage), mean(one.judge, other.judge),
        mean(one.tail, other.tail), store_bound=one.store_bound,
    )  # fmt: skip


def _times(plan: RunPlan, site: MachineRates, slow: int) -> Times:
    """Start, staging, judging at the rate of the slower of workers and driver, the last ones."""
    quick = plan.workers - slow
    rows_only = plan.partition / site.judge
    # A partition takes its rows, its latency, and what is judged again after a loss.
    each, each_slow = (
        alone * (1 + site.losses / HOUR * (alone / 2 + site.start))
        for alone in (rows_only + site.latency, rows_only * site.slow_factor + site.latency)
    )
    speed = quick / each + slow / each_slow
    # When the last partition is handed out, everybody is on average half through one; the end is
    # when the last of them is done.
    spread = _spread(plan.partition)
    tail = max(each * _largest_rest(quick, spread), each_slow * _largest_rest(slow, spread))
    judge = max(0.0, plan.partitions - plan.workers / 2) / speed
    if plan.partitions <= plan.workers:
        judge, tail = each, min(1.0, slow * plan.partitions / plan.workers) * (each_slow - each)
    storing = plan.rows / site.store
    if storing > judge + tail:
        return Times(site.start, plan.rows / site.stage, storing, each, store_bound=True)
    return Times(site.start, plan.rows / site.stage, judge, tail, store_bound=False)


def _spread(rows: int) -> float:
    """How much the times of partitions differ: rows differ in length, and many of them even out."""
    return 0.5 / math.sqrt(rows)


def _largest_rest(workers: int, spread: float) -> float:
    """What the last of some workers still has to do, as a share of an average partition.

    Each is through some share of a partition, any share being as likely, and its time varies
    log-normally with mean 1. A rest is longer than x with probability E[max(0, 1 - x / time)];
    the largest of k is about the one that is exceeded with probability 1 / (k + 1).
    """
    if workers == 0:
        return 0.0
    normal = NormalDist()
    low, high = 0.0, 64.0
    for _ in range(40):
        x = (low + high) / 2
        distance = (-math.log(x) - spread**2 / 2) / spread
        longer = normal.cdf(distance) - x * math.exp(spread**2) * normal.cdf(distance - spread)
        low, high = (x, high) if longer > 1 / (workers + 1) else (low, x)
    return low


def simulate(plan: RunPlan, site: MachineRates, seed: int = 0) -> float:
    """Seconds until the last result is stored, partition by partition, with bad luck."""
    draw = random.Random(seed)
    begin = site.start + plan.rows / site.stage
    slow = round(site.slow_share * plan.workers + draw.random() - 0.5)
    factors = [site.slow_factor] * slow + [1.0] * (plan.workers - slow)
    draw.shuffle(factors)
    free = [(begin, number) for number in range(plan.workers)]
    heapq.heapify(free)
    ends = []
    left = plan.rows
    while left > 0:
        rows = min(plan.partition, left)
        left -= rows
        while True:  # until a worker lives long enough
            now, worker = heapq.heappop(free)
            spread = _spread(rows)
            noise = draw.lognormvariate(-(spread**2) / 2, spread)
            takes = rows / site.judge * noise * factors[worker]
            takes += site.latency * draw.lognormvariate(-0.125, 0.5)
            # The rate of a tiny share is 0 in floating point.
            rate = site.losses / HOUR
            death = draw.expovariate(rate) if rate else math.inf
            if death >= takes:
                heapq.heappush(free, (now + takes, worker))
                ends.append((now + takes, rows))
                break
            heapq.heappush(free, (now + death + site.start, worker))
    stored = 0.0
    for end, rows in sorted(ends):
        stored = max(stored, end) + rows / site.store
    return stored


def simulated(plan: RunPlan, site: MachineRates) -> float:
    """The mean of so many simulations that luck hardly counts."""
    wanted = min(_MOST_SEEDS, _SIMULATED_WORKERS // plan.workers, _MOST_STEPS // plan.partitions)
    return fmean(simulate(plan, site, seed) for seed in range(max(_LEAST_SEEDS, wanted)))


def breaks_first(plan: RunPlan, site: MachineRates) -> tuple[str, str]:
    """What limits a run of this size, and what to do about it."""
    times = model(plan, site)
    shards = "several drivers: `--shard K/N` on each; `merge` once the workers are released"
    if plan.rows * KEY_BYTES > site.memory:
        # A shard remembers the ids of the whole input, and `merge` those of all runs.
        files = -(-plan.rows // ROWS_PER_DRIVER)
        return (
            "the driver's memory (keys of all rows)",
            f"the input split into {files:,} files, each with its own driver, run folder and "
            "report; no `--shard` and no `merge`, which hold the keys of all rows, too",
        )
    if times.store_bound:
        return "storing, which one driver does", shards
    if times.stage > times.judge / 2:
        return "reading and staging, which one driver does", shards
    if times.start > times.judge:
        return "starting Ray and loading models", "one machine, `--engine local`"
    if plan.workers == 1:
        return "nothing; one worker is enough", "one machine, `--engine local`"
    return "the number of workers", "more workers, while there are several partitions for each"


def measured(metric: str, examples: Sequence[Example]) -> MachineRates:
    """The rates of this machine."""
    backend = "embedded,size=small,threads=1"
    code = (
        "import staytrue, sys; m = staytrue.load_metric(sys.argv[1], backend=sys.argv[2]); "
        "m.judge([staytrue.Example('1', 'Tea is green.', 'Tea is a drink.')])"
    )
    # As on the command line, from which workers have it: spaCy would import PyTorch otherwise.
    environment = {**os.environ, SPARE_TORCH: "1"}
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, metric, backend], env=environment, check=True)
    started = time.perf_counter() - start
    loaded = staytrue.load_metric(metric, backend=backend)
    loaded.judge(examples[:1])
    start = time.perf_counter()
    loaded.judge(examples)
    judge = len(examples) / (time.perf_counter() - start)
    stage, store = driver_rates(2000)
    return MachineRates(judge, stage, store, started)


def driver_rates(rows: int) -> tuple[float, float]:
    """Rows per second that the driver stages, and that it stores."""
    (metric,) = load_metrics(["overlap"])
    examples = [
        Example(str(n), f"The tower number {n} is tall. " * 3, f"The tower {n} is high. " * 20)
        for n in range(rows)
    ]
    driver = measure_driver(
        examples, metric.judge(examples), partition_size=PARTITION_SIZE, rows=rows
    )
    return 1 / driver.stage, 1 / driver.store


def weak_scaling(metric: str, rows: int, rounds: int = 3) -> list[float]:
    """Efficiencies of two workers with twice the rows against one, measured alternately on Ray.

    A run's rate is that between the first and the last time that its workers are seen to have
    judged something, so that starting does not count.
    """
    # No row twice: a worker remembers what it has judged. The lone worker gets every second one.
    examples = varied(examples_of(2 * rows), 2 * rows)
    metrics = load_metrics([metric], backend="embedded,size=small")
    signatures = {one.name: one.signature for one in metrics}

    def rate(workers: int) -> float:
        source: list[Example | Failure] = [*examples[:: 3 - workers]]
        heard: list[tuple[float, int]] = []
        with tempfile.TemporaryDirectory() as folder, RunWriter(folder, signatures) as writer:
            judge_on_ray(
                source, metrics, writer, Cluster(workers=workers, partition_size=8),
                backend="embedded,size=small", seconds_between_looks=_SECONDS_BETWEEN_LOOKS,
                progress=lambda done: heard.append((time.perf_counter(), done)),
            )  # fmt: skip
        return rate_of(heard)

    os.environ.setdefault(SPARE_TORCH, "1")  # the workers have it from here
    with connected(Cluster(workers=2)):
        return [rate(2) / (2 * rate(1)) for _ in range(rounds)]


def rate_of(heard: Sequence[tuple[float, int]]) -> float:
    """Rows per second from moments and the rows that were told then; the first ones only start."""
    ends = [(moment, done) for moment, done in heard if done]
    return sum(done for _, done in ends[1:]) / (ends[-1][0] - ends[0][0])


def scaling_shown(efficiencies: Sequence[float]) -> str:
    """One sentence on the real workers."""
    if not efficiencies:
        return "Two real workers against one: not measured in this run (`--scaling`)."
    single = ", ".join(f"{one:.2f}" for one in efficiencies)
    return (
        "Two real workers against one, twice the rows, measured alternately: efficiency "
        f"{fmean(efficiencies):.2f} on average ({single})."
    )


def write(
    page: Path, metric: str, site: MachineRates, gpu: float, prices: tuple[float, float],
    conditions: str, efficiencies: Sequence[float],
) -> None:  # fmt: skip
    """Put it all on the page."""
    lines = [
        "# Scale", "", "Generated by `python -m reproduce.scale`; do not edit.", "",
        weights("small"), conditions, "",
        f"Measured for `{metric}`: one worker judges {site.judge:,.1f} rows per second and is "
        f"ready after {site.start:.1f} s; the driver stages {site.stage:,.0f} and stores "
        f"{site.store:,.0f} rows per second. {scaling_shown(efficiencies)}", "",
        "The driver reads the inputs and stages them; Ray Data reads the staged files only. "
        "Staging is serial, in one process. With `--shard K/N` several drivers, each with its own "
        "`--out`, stage and store a part each; every one of them still reads all rows and "
        "remembers their ids, which only input that is split into files avoids.", "",
        f"Assumed: {site.latency:g} s per partition for scheduling and the object store; "
        f"{100 * site.slow_share:g} % of the workers are {site.slow_factor:g} times slower; a "
        f"worker is lost every {1 / site.losses:g} hours; a CPU costs {prices[0]:g} and a GPU "
        f"{prices[1]:g} per hour; a GPU judges {gpu:g} times as fast as a CPU (not measured).", "",
        "The model: time = start of the workers + rows ÷ staging + rows ÷ the slower of all "
        "workers and storing + the last partition of the slowest worker. The simulation hands out "
        "partitions one by one, with rows of different lengths, slow and lost workers, and "
        "varying latencies; its time is the mean of up to 200 runs, as with few workers it is luck "
        "whether one of them is slow. Workers are chosen so that judging takes an hour. All times "
        "are those of one driver, also where one is not enough.",
    ]  # fmt: skip
    header = ("rows", "workers", "rows per partition", "time, model", "time, simulated", "cost",
              "what breaks first", "then")  # fmt: skip
    for name, here, price in (
        ("CPUs", site, prices[0]),
        ("GPUs", replace(site, judge=site.judge * gpu), prices[1]),
    ):
        cells = []
        for rows in SIZES:
            plan = plan_for(rows, here)
            seconds = model(plan, here).total
            cost = plan.workers * seconds / HOUR * price
            limit, remedy = breaks_first(plan, here)
            cells.append(
                (f"{rows:,}", f"{plan.workers:,}", f"{plan.partition:,}", _time(seconds),
                 _time(simulated(plan, here)), f"{cost:,.2f}", limit, remedy)
            )  # fmt: skip
        lines += ["", f"## {name}", "", table(header, cells).rstrip()]
    page.write_text("\n".join(lines) + "\n", "utf-8")


def _time(seconds: float) -> str:
    return f"{seconds:,.0f} s" if seconds < 600 else f"{seconds / HOUR:,.2f} h"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metric", default="q2")
    parser.add_argument("--limit", type=int, default=100, help="responses that are timed")
    parser.add_argument("--gpu", type=float, default=40.0, help="GPU against one CPU, assumed")
    parser.add_argument("--prices", type=float, nargs=2, default=[0.04, 0.6])
    parser.add_argument("--scaling", action="store_true", help="run two real workers on Ray")
    parser.add_argument("--scaling-rows", type=int, default=SCALING_ROWS, help="of each worker")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    examples = examples_of(options.limit)
    conditions = conditions_here({"embedded,size=small,threads=1": len(examples)})
    site = measured(options.metric, examples)
    efficiencies = weak_scaling(options.metric, options.scaling_rows) if options.scaling else []
    print(scaling_shown(efficiencies), flush=True)
    prices = options.prices[0], options.prices[1]
    write(options.page, options.metric, site, options.gpu, prices, conditions, efficiencies)


if __name__ == "__main__":
    main()
