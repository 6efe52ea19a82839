"""What the driver of a run on Ray takes for each row, beside the workers: staging and storing."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from staytrue.core.records import Example, Verdict
from staytrue.runs.engines.partitions import Part, Partition, PartitionExchange
from staytrue.runs.writer import RunWriter

# Enough rows that opening files and waiting for the disk count as little as in a long run, and no
# more characters than fit on any disk.
_ROWS = 2000
_MOST_CHARACTERS = 64 * 2**20


@dataclass(frozen=True)
class DriverSeconds:
    """Seconds per row."""

    stage: float
    """To store an example and write it into a partition, before judging begins."""
    store: float
    """To take its verdicts into the run, while other rows are judged."""


def measure_driver(
    examples: Sequence[Example],
    verdicts: Sequence[Verdict],
    *,
    partition_size: int,
    rows: int = _ROWS,
) -> DriverSeconds:
    """Stage and store up to so many copies of the examples and their verdicts in a run aside."""
    longest = max(len(one.knowledge) + len(one.response) for one in examples)
    rows = max(1, min(rows, _MOST_CHARACTERS // max(1, longest)))
    metrics = sorted({verdict.metric for verdict in verdicts})
    of_example: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        of_example[verdict.example_id].append(verdict)
    originals = {str(n): examples[n % len(examples)] for n in range(rows)}
    copies = [replace(one, id=number) for number, one in originals.items()]
    with (
        tempfile.TemporaryDirectory() as folder,
        RunWriter(folder, {metric: metric for metric in metrics}) as writer,
    ):
        exchange = PartitionExchange(writer)
        exchange.take_in_leftovers()
        begin = time.perf_counter()
        exchange.hand_out(copies, metrics, size=partition_size)
        staged = time.perf_counter()
        for path in exchange.partitions.iterdir():
            judged = Partition.from_bytes(path.read_bytes()).examples
            Part(
                [
                    replace(verdict, example_id=example.id)
                    for example in judged
                    for verdict in of_example[originals[example.id].id]
                ]
            ).write(exchange.parts / path.name)
        judged_by_workers = time.perf_counter()
        for path in sorted(exchange.parts.iterdir()):
            exchange.take_in(path.name)
        stored = time.perf_counter()
    return DriverSeconds((staged - begin) / rows, (stored - judged_by_workers) / rows)
