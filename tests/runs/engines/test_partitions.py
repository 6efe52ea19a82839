"""Partitions: any way of cutting a run gives the run of one process; nothing is stored twice."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runs.engines.every_metric import JUDGED, rows_of

from staytrue.core.errors import DataError
from staytrue.core.records import Example, Failure, JsonDict, Passage, Turn
from staytrue.english import parses
from staytrue.plugins.registry import NamedMetric, forget_backends
from staytrue.runs.engines.partitions import Part, Partition, PartitionExchange
from staytrue.runs.engines.worker import Attempts, Job, PartitionJudge
from staytrue.runs.merge import merge
from staytrue.runs.runner import in_shard, judge_all, load_metrics
from staytrue.runs.writer import RunWriter

METRICS = ("overlap", "bleu")
SIGNATURES = {metric.name: metric.signature for metric in load_metrics(METRICS)}
WORDS = "coffee tea bean river moon dog \u2028 née".split(" ")
ROWS: list[Example | Failure] = [
    Failure(f"f:{n}", "broken") if n % 11 == 3
    else Example(str(n % 17), " ".join(WORDS[: n % 7]), " ".join(WORDS[n % 3 :]))
    for n in range(40)
]  # fmt: skip
FILES = ("examples.jsonl", "verdicts.jsonl", "errors.jsonl")


def contents(run: Path) -> list[list[bytes]]:
    return [sorted((run / name).read_bytes().split(b"\n")) for name in FILES]


@dataclass(frozen=True)
class Judging:
    """Rows, and what judges them."""

    source: Sequence[Example | Failure] = tuple(ROWS)
    metrics: tuple[str, ...] = METRICS
    backend: str | None = None

    def load(self) -> list[NamedMetric]:
        return load_metrics(self.metrics, backend=self.backend)

    @cached_property
    def signatures(self) -> dict[str, str]:
        return {metric.name: metric.signature for metric in self.load()}

    def worker(self, parts: Path, batch_size: int) -> PartitionJudge:
        """A worker whose models remember nothing of what another has judged."""
        forget_backends()
        parses.forget()
        job = Job(parts, self.metrics, self.signatures, self.backend, 0, batch_size)
        return PartitionJudge(job, Attempts())


PLAIN = Judging()


def judge(
    exchange: PartitionExchange,
    names: list[str],
    batch_size: int = 64,
    workers: int = 1,
    judging: Judging = PLAIN,
) -> None:
    """Judge partitions as workers do, each the next one in turn."""
    pool = [judging.worker(exchange.parts, batch_size) for _ in range(workers)]
    for number, name in enumerate(names):
        path = exchange.partitions / name
        result = pool[number % workers]({"path": [str(path)], "bytes": [path.read_bytes()]})
        assert result["trouble"] == [""]


def run_here(folder: Path, judging: Judging = PLAIN) -> Path:
    with RunWriter(folder, judging.signatures) as writer:
        judge_all(judging.source, judging.load(), writer)
    return folder


@dataclass(frozen=True)
class Cut:
    """A way of spreading a run."""

    size: int
    batch_size: int
    workers: int
    order: Random


def cuts(most_rows: int) -> st.SearchStrategy[Cut]:
    order = st.randoms(use_true_random=False)
    return st.builds(Cut, st.integers(1, most_rows), st.integers(1, 9), st.integers(1, 3), order)


def run_in_parts(folder: Path, cut: Cut, judging: Judging = PLAIN) -> JsonDict:
    with RunWriter(folder, judging.signatures) as writer:
        exchange = PartitionExchange(writer)
        exchange.take_in_leftovers()
        count = exchange.hand_out(judging.source, judging.metrics, size=cut.size)
        names = sorted(path.name for path in exchange.partitions.iterdir())
        examples = sum(isinstance(row, Example) for row in judging.source)
        assert len(names) == count == -(-examples // cut.size)
        cut.order.shuffle(names)
        judge(exchange, names, cut.batch_size, cut.workers, judging)
        for name in names:
            exchange.take_in(name)
        exchange.close()
        return writer.counts


@pytest.mark.slow
@settings(max_examples=20)
@given(cuts(50))
def test_any_partitioning_and_order_gives_the_run_of_one_process(cut: Cut) -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = run_here(Path(folder, "here"))
        counts = run_in_parts(Path(folder, "parts"), cut)
        assert contents(Path(folder, "parts")) == contents(here)
        left = {path.name for path in Path(folder, "parts").iterdir()}
        assert left == {*FILES, "manifest.json", ".lock"}
        assert counts["examples"] == 36
        assert counts["unreadable"] == 4


@cache
def every_metric(file: str) -> tuple[Judging, list[list[bytes]]]:
    """A few rows for the metrics of a file, and the run that one process makes of them."""
    metrics, backend = JUDGED[file]
    judging = Judging(tuple(rows_of(file, 5)), tuple(metrics), backend)
    with tempfile.TemporaryDirectory() as folder:
        return judging, contents(run_here(Path(folder), judging))


@pytest.mark.slow
@pytest.mark.parametrize("file", JUDGED)
@settings(max_examples=4)
@given(cut=cuts(5))
def test_every_metric_gives_the_same_verdicts_however_a_run_is_cut(file: str, cut: Cut) -> None:
    judging, here = every_metric(file)
    with tempfile.TemporaryDirectory() as folder:
        run_in_parts(Path(folder, "parts"), cut, judging)
        assert contents(Path(folder, "parts")) == here


@pytest.mark.parametrize("of", [2, 3])
def test_shards_that_several_drivers_hand_out_merge_into_the_run_of_one_process(
    tmp_path: Path, of: int
) -> None:
    shards = [tmp_path / str(number) for number in range(1, of + 1)]
    for number, folder in enumerate(shards, start=1):
        with RunWriter(folder, SIGNATURES) as writer:
            exchange = PartitionExchange(writer)
            exchange.take_in_leftovers()
            exchange.hand_out(in_shard(ROWS, number, of), METRICS, size=5)
            names = sorted(path.name for path in exchange.partitions.iterdir())
            judge(exchange, names)
            for name in names:
                exchange.take_in(name)
            exchange.close()
    merge(shards, tmp_path / "merged")
    assert contents(tmp_path / "merged") == contents(run_here(tmp_path / "here"))


def test_parts_that_a_killed_driver_left_are_not_judged_again(tmp_path: Path) -> None:
    here = run_here(tmp_path / "here")
    run = tmp_path / "run"
    with RunWriter(run, SIGNATURES) as writer:
        exchange = PartitionExchange(writer)
        exchange.take_in_leftovers()
        exchange.hand_out(ROWS, METRICS, size=10)
        judge(exchange, ["00000000.jsonl", "00000002.jsonl"])
        # A kill between storing a part and removing it leaves it in both places.
        kept = (exchange.parts / "00000000.jsonl").read_bytes()
        exchange.take_in("00000000.jsonl")
        (exchange.parts / "00000000.jsonl").write_bytes(kept)
    with RunWriter(run, SIGNATURES) as writer:
        exchange = PartitionExchange(writer)
        exchange.take_in_leftovers()
        heard: list[int] = []
        assert exchange.hand_out(ROWS, METRICS, size=10, progress=heard.append) == 2
        assert sum(heard) == 20 + 4  # judged before, and bad rows
        judge(exchange, ["00000000.jsonl", "00000001.jsonl"])
        exchange.take_in("00000000.jsonl")
        exchange.take_in("00000001.jsonl")
    assert contents(run) == contents(here)


def test_half_a_part_is_no_part(tmp_path: Path) -> None:
    with RunWriter(tmp_path, SIGNATURES) as writer:
        exchange = PartitionExchange(writer)
        exchange.take_in_leftovers()
        (exchange.parts / "00000000.jsonl.writing").write_bytes(b'{"verdict": {"exam')
        exchange.take_in_leftovers()
        assert writer.counts["metrics"]["overlap"]["scored"] == 0


def test_only_the_metrics_that_a_row_lacks_are_handed_out(tmp_path: Path) -> None:
    with RunWriter(tmp_path, SIGNATURES) as writer:
        judge_all([Example("1", "tea", "tea")], load_metrics(["overlap"]), writer)
        exchange = PartitionExchange(writer)
        exchange.take_in_leftovers()
        rows = [Example("1", "tea", "tea"), Example("2", "tea", "tea")]
        assert exchange.hand_out(rows, METRICS, size=10) == 2
        lacking = {
            partition.metrics: [example.id for example in partition.examples]
            for partition in (
                Partition.from_bytes(path.read_bytes()) for path in exchange.partitions.iterdir()
            )
        }
    assert lacking == {("bleu",): ["1"], METRICS: ["2"]}


def test_errors_that_are_retried_do_not_come_back_from_an_old_part(tmp_path: Path) -> None:
    with RunWriter(tmp_path, SIGNATURES) as writer:
        exchange = PartitionExchange(writer)
        exchange.take_in_leftovers()
        Part(failures=[Failure("1", "died", "overlap")]).write(exchange.parts / "0.jsonl")
    with RunWriter(tmp_path, SIGNATURES, retry_errors=True) as writer:
        exchange = PartitionExchange(writer)
        exchange.take_in_leftovers(verdicts_only=True)
        assert exchange.hand_out([Example("1", "tea", "tea")], METRICS, size=10) == 1
        assert writer.counts["errors"] == 0


def test_strict_stops_before_anything_is_judged(tmp_path: Path) -> None:
    with RunWriter(tmp_path, SIGNATURES) as writer:
        exchange = PartitionExchange(writer)
        exchange.take_in_leftovers()
        with pytest.raises(DataError, match="f:3: broken"):
            exchange.hand_out(ROWS, METRICS, size=10, strict=True)


def test_long_rows_make_short_partitions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("staytrue.runs.engines.partitions._MOST_CHARACTERS", 100)
    with RunWriter(tmp_path, SIGNATURES) as writer:
        exchange = PartitionExchange(writer)
        exchange.take_in_leftovers()
        rows = [Example(str(n), "tea " * 10, "tea" * n * 5) for n in range(4)]
        assert exchange.hand_out(rows, METRICS, size=10) == 3


def test_a_partition_holds_all_of_an_example() -> None:
    example = Example(
        "1", "a\u2028b\ud800", "k", history=(Turn("user", "hi"),), persona=("i am",),
        passages=(Passage(0, 1, id="1", title="t"),), rating=2.5, tags={"bot": "x"},
    )  # fmt: skip
    partition = Partition(("overlap",), (example,))
    assert Partition.from_bytes(partition.to_bytes()) == partition


STAGED = """
import resource, sys
from staytrue.core.records import Example, Verdict
from staytrue.runs.engines.partitions import PartitionExchange, Part, Partition
from staytrue.runs.writer import RunWriter
rows = (Example(str(n), "tea " * 20, "coffee " * 60) for n in range(int(sys.argv[1])))
with RunWriter(sys.argv[2], {"m": "m|1"}) as writer:
    exchange = PartitionExchange(writer)
    exchange.take_in_leftovers()
    exchange.hand_out(rows, ["m"], size=256)
    for path in sorted(exchange.partitions.iterdir()):
        examples = Partition.from_bytes(path.read_bytes()).examples
        Part([Verdict(e.id, "m", 0.5) for e in examples]).write(exchange.parts / path.name)
        exchange.take_in(path.name)
    assert writer.counts["metrics"]["m"]["scored"] == int(sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_the_drivers_memory_stays_flat_over_a_hundred_thousand_rows(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    small, big = (
        int(subprocess.check_output(
            [sys.executable, "-c", STAGED, str(rows), str(tmp_path / str(rows))], text=True
        ))
        for rows in (5_000, 100_000)
    )  # fmt: skip
    assert big - small < 32_000  # kilobytes: 16 bytes a key in five sets of keys, and slack
