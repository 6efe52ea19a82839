"""How many responses per second `begin` judges: `python -m benchmarks.begin [--rows 400]`."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from staytrue.core.records import Example
from staytrue.plugins.registry import load_metric
from staytrue.runs import runner

REPOSITORY = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("STAYTRUE_DATA", REPOSITORY.parent / "shared" / "data"))
FILE = DATA / "dev" / "begin_v1_dev.jsonl.gz"
SHIPPED = REPOSITORY / "examples" / "grounded.jsonl"
BATCH = 64


def examples(rows: int) -> list[Example]:
    """BEGIN's dev responses where the data is at hand, else the shipped examples, repeated."""
    source = f"begin:{FILE}" if FILE.exists() else str(SHIPPED)
    found = [item for item in runner.read_inputs([source]) if isinstance(item, Example)]
    return (found * (rows // len(found) + 1))[:rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=400)
    rows = examples(parser.parse_args().rows)
    metric = load_metric("begin")
    metric.judge(rows[:8])  # models load on first use
    wall, cpu = time.perf_counter(), time.process_time()
    for start in range(0, len(rows), BATCH):
        metric.judge(rows[start : start + BATCH])
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(
        f"begin: {len(rows) / wall:.1f} responses per second "
        f"({1000 * cpu / len(rows):.1f} ms of CPU time each)"
    )


if __name__ == "__main__":
    main()
