"""How long the first verdict of a fresh process takes: `python -m benchmarks.first [--rounds 5]`.

Each round starts the real command on a file with one row. The small models, unless `--backend` says
otherwise; `--floor nli=1.5` exits with status 1 if the median is above so many seconds, which means
something only on a machine that does nothing else. CPU seconds are told beside, for busy machines.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

METRICS = ("nli", "consistency")
ROUNDS = 5
_ROW = {
    "id": "1",
    "knowledge": "Coffee is made from roasted beans. It comes from Ethiopia.",
    "response": "It is made from leaves. It comes from Ethiopia.",
}


@dataclass(frozen=True)
class First:
    """What one start cost, in seconds."""

    wall: float
    cpu: float


def start(metric: str, backend: str) -> First:
    """Run the command once, in a process and a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.jsonl"
        rows.write_text(json.dumps(_ROW) + "\n", "utf-8")
        command = [sys.executable, "-m", "staytrue", "score", str(rows), "--metric", metric]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.perf_counter()
        subprocess.run(
            [*command, "--backend", backend, "--out", str(Path(folder) / "run"), "--quiet"],
            check=True,
        )
        wall = time.perf_counter() - begun
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return First(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def median(metric: str, backend: str, rounds: int) -> First:
    """The medians of so many starts."""
    starts = [start(metric, backend) for _ in range(rounds)]
    return First(
        statistics.median(one.wall for one in starts), statistics.median(one.cpu for one in starts)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--metric", action="append", help="only these metrics")
    parser.add_argument("--backend", default="embedded,size=small")
    parser.add_argument("--floor", action="append", default=[], metavar="METRIC=SECONDS")
    options = parser.parse_args()
    floors = {name: float(most) for name, _, most in (one.partition("=") for one in options.floor)}
    slow = []
    for metric in options.metric or METRICS:
        took = median(metric, options.backend, options.rounds)
        print(
            f"{metric}: {took.wall:.2f} s until the first verdict, {took.cpu:.2f} s of CPU",
            flush=True,
        )
        if took.wall > floors.get(metric, took.wall):
            slow.append(f"{metric} took {took.wall:.2f} s (floor {floors[metric]:g} s)")
    print(f"{options.backend}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    if slow:
        sys.exit("; ".join(slow))


if __name__ == "__main__":
    main()
