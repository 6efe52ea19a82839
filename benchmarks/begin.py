"""How many responses per second `begin` judges: `python -m benchmarks.begin [--rows 400]`.

The small models, unless `--backend` says otherwise. Without BEGIN's data the shipped examples are
judged, each with a number of its own, as results of the same pair are remembered.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from benchmarks.floor import add_floor, hold
from staytrue.core.records import Example
from staytrue.plugins.registry import NamedMetric, load_metric
from staytrue.runs import runner

REPOSITORY = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("STAYTRUE_DATA", REPOSITORY.parent / "shared" / "data"))
FILE = DATA / "dev" / "begin_v1_dev.jsonl.gz"
SHIPPED = REPOSITORY / "examples" / "grounded.jsonl"
BATCH = 64
ROWS = 400


def examples(rows: int) -> list[Example]:
    """BEGIN's dev responses where the data is at hand, else the shipped examples; no two alike."""
    source = f"begin:{FILE}" if FILE.exists() else str(SHIPPED)
    originals = [item for item in runner.read_inputs([source]) if isinstance(item, Example)]
    return varied(originals, rows)


def varied(originals: Sequence[Example], rows: int) -> list[Example]:
    """So many rows: the originals, again and again, from the second time on with a number."""
    turns = range(rows // len(originals) + 1)
    repeated = (
        replace(one, response=f"{one.response} That is number {turn}.")
        if turn and one.response
        else one
        for turn in turns
        for one in originals
    )
    return list(islice(repeated, rows))


def timed(metric: NamedMetric, rows: Sequence[Example]) -> tuple[float, float]:
    """Wall and CPU seconds that the rows take, in batches."""
    # Models load on first use; what is judged here is not judged again.
    metric.judge([Example("warm", "Tea is a green drink.", "Tea is a drink from China.")])
    wall, cpu = time.perf_counter(), time.process_time()
    for start in range(0, len(rows), BATCH):
        metric.judge(rows[start : start + BATCH])
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--backend", default="embedded,size=small")
    add_floor(parser)
    options = parser.parse_args()
    rows = examples(options.rows)
    wall, cpu = timed(load_metric("begin", backend=options.backend), rows)
    print(
        f"begin: {len(rows) / wall:.1f} responses per second "
        f"({1000 * cpu / len(rows):.1f} ms of CPU time each)"
    )
    hold(len(rows) / wall, options.floor)


if __name__ == "__main__":
    main()
