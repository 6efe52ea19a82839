"""Partitions of a run: rows written for workers to judge, and their results taken into the run.

RUN/partitions/NAME.jsonl   a line with the metrics to judge by, then one example per line
RUN/parts/NAME.jsonl        what a worker found: verdicts, failures, then times and usage

Both are written aside and renamed, so a file that is there is whole. A part that was not taken in
before a kill is taken in by the next sitting; partitions are written anew. A finished run has
neither.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from staytrue.core.batches import batched
from staytrue.core.records import (
    Example,
    Failure,
    JsonDict,
    Verdict,
    example_from_json,
    example_to_json,
    failure_from_json,
    failure_to_json,
    verdict_from_json,
    verdict_to_json,
)
from staytrue.runs.jsonl import read_rows, replace_file, to_line
from staytrue.runs.runner import InMemory, admit, with_unique_ids
from staytrue.runs.writer import RunWriter

_PARTITIONS, _PARTS = "partitions", "parts"
# A partition is one block of Ray Data, which splits blocks of more than 128 MB.
_MOST_CHARACTERS = 16 * 2**20
_READ_AT_ONCE = 1000


@dataclass(frozen=True)
class Partition:
    """Rows that one worker judges at a time."""

    metrics: tuple[str, ...]
    examples: tuple[Example, ...]

    def to_bytes(self) -> bytes:
        """The content of its file."""
        rows: list[JsonDict] = [{"metrics": list(self.metrics)}]
        return _lines([*rows, *map(example_to_json, self.examples)])

    @classmethod
    def from_bytes(cls, content: bytes) -> Partition:
        """The partition that a file holds."""
        # Not str.splitlines, which also splits at signs that JSON leaves as they are.
        head, *rows = (json.loads(line) for line in content.split(b"\n") if line)
        return cls(tuple(head["metrics"]), tuple(map(example_from_json, rows)))


@dataclass
class Part(InMemory):
    """What a worker found out about a partition; judging writes to it as to a run.

    Whoever wrote the partition left out what is stored, and its examples are in the run.
    """

    verdicts: list[Verdict] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    usage: dict[str, dict[str, float]] = field(default_factory=dict)

    def add_seconds(self, metric: str, seconds: float) -> None:
        """Add to the time that a metric has taken."""
        self.seconds[metric] = self.seconds.get(metric, 0.0) + seconds

    def add_usage(self, source: str, used: Mapping[str, float]) -> None:
        """Add to what a backend has used."""
        total = self.usage.setdefault(source, {})
        for name, value in used.items():
            total[name] = total.get(name, 0) + value

    def write(self, path: Path) -> None:
        """Put the part into its file, so that a kill leaves all of it or nothing."""
        rows: list[JsonDict] = [{"verdict": verdict_to_json(v)} for v in self.verdicts]
        rows += [{"failure": failure_to_json(f)} for f in self.failures]
        replace_file(path, _lines([*rows, {"seconds": self.seconds, "usage": self.usage}]))

    @classmethod
    def read(cls, path: Path) -> Part:
        """The part that a file holds."""
        part = cls()
        for row in read_rows(path):
            if "verdict" in row:
                part.verdicts.append(verdict_from_json(row["verdict"]))
            elif "failure" in row:
                part.failures.append(failure_from_json(row["failure"]))
            else:
                part.seconds, part.usage = row["seconds"], row["usage"]
        return part


class PartitionExchange:
    """The two folders between a run and its workers."""

    def __init__(self, writer: RunWriter) -> None:
        self._writer = writer
        run = writer.folder.resolve()
        self.partitions, self.parts = run / _PARTITIONS, run / _PARTS

    def take_in_leftovers(self, *, verdicts_only: bool = False) -> None:
        """Store the parts that earlier sittings left; without failures, if those are retried."""
        self.parts.mkdir(exist_ok=True)
        for path in sorted(self.parts.glob("*.jsonl")):
            self.take_in(path.name, verdicts_only=verdicts_only)
        shutil.rmtree(self.partitions, ignore_errors=True)
        self.partitions.mkdir()

    def hand_out(
        self,
        source: Iterable[Example | Failure],
        metrics: Sequence[str],
        *,
        size: int,
        strict: bool = False,
        progress: Callable[[int], None] = lambda done: None,
    ) -> int:
        """Store the examples and bad rows of the source, and write what is not judged yet.

        Returns the number of partitions; `progress` hears of the rows that need no worker.
        """
        gathered: dict[tuple[str, ...], list[Example]] = {}
        characters: dict[tuple[str, ...], int] = {}
        count = 0

        def write(pending: tuple[str, ...]) -> None:
            nonlocal count
            partition = Partition(pending, tuple(gathered.pop(pending)))
            characters.pop(pending)
            replace_file(self.partitions / f"{count:08d}.jsonl", partition.to_bytes())
            count += 1

        for batch in batched(with_unique_ids(source), _READ_AT_ONCE):
            examples, failures = admit(batch, self._writer, strict=strict)
            self._writer.add(examples, (), failures)
            waiting = 0
            for example in examples:
                pending = tuple(m for m in metrics if not self._writer.has(example.id, m))
                if not pending:
                    continue
                waiting += 1
                length = len(example.knowledge) + len(example.response)
                if characters.get(pending, 0) + length > _MOST_CHARACTERS and pending in gathered:
                    write(pending)
                gathered.setdefault(pending, []).append(example)
                characters[pending] = characters.get(pending, 0) + length
                if len(gathered[pending]) == size:
                    write(pending)
            progress(len(batch) - waiting)
        for pending in list(gathered):
            write(pending)
        return count

    def take_in(self, name: str, *, verdicts_only: bool = False) -> None:
        """Store a part in the run, and remove it and its partition."""
        part = Part.read(self.parts / name)
        # What a kill left stored already is not stored twice, and its time and cost were real.
        self._writer.add((), part.verdicts, [] if verdicts_only else part.failures)
        for metric, seconds in part.seconds.items():
            self._writer.add_seconds(metric, seconds)
        for source, used in part.usage.items():
            self._writer.add_usage(source, used)
        (self.parts / name).unlink()
        (self.partitions / name).unlink(missing_ok=True)

    def close(self) -> None:
        """Remove the folders of a finished run."""
        shutil.rmtree(self.partitions, ignore_errors=True)
        with contextlib.suppress(OSError):  # a part that came late waits for the next sitting
            self.parts.rmdir()


def _lines(rows: Sequence[JsonDict]) -> bytes:
    return "".join(to_line(row) + "\n" for row in rows).encode()
