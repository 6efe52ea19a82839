"""Runs on Ray, with real workers: the verdicts of one process, whatever is killed meanwhile."""

from __future__ import annotations

import json
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runs.engines.every_metric import JUDGED, rows_of

import staytrue
from staytrue.core.errors import RunError
from staytrue.core.records import Example, Failure
from staytrue.plugins.registry import names
from staytrue.runs.engines import cluster as cluster_engine
from staytrue.runs.engines.cluster import Cluster, judge_on_ray
from staytrue.runs.folder import Run
from staytrue.runs.runner import judge_all, load_metrics
from staytrue.runs.writer import RunWriter

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.slow
FILES = ("examples.jsonl", "verdicts.jsonl", "errors.jsonl")
# Ray runs workers at a low priority, which on a busy machine means hardly at all.
os.environ.setdefault("RAY_worker_niceness", "0")

# Ten kills take minutes: `make check-all` asks for them.
VICTIMS = (
    "worker worker worker driver worker worker cluster worker worker driver"
    if os.environ.get("STAYTRUE_ALL_KILLS")
    else "worker driver worker cluster"
).split()
LONGEST_WAIT = 300.0

PLUG_IN = """
import os, pathlib, time
from staytrue.core.records import Verdict

class Logged:
    'Writes down what it judges; dies of responses that say so.'
    def judge(self, examples):
        for example in examples:
            time.sleep(float(os.environ.get("PAUSE", "0")))
            with open(os.environ["JUDGED"], "a") as log:
                log.write(example.id + "\\n")
            if "die" in example.response:
                os._exit(1)
        return [Verdict(e.id, "logged", len(e.response) % 10 / 10) for e in examples]

class Resources:
    'Says what Ray gives to the worker that judges, and what the models take of it.'
    uses = ("infer",)
    def __init__(self, backend):
        self._threads = backend.threads
    def judge(self, examples):
        import json, ray
        given = ray.get_runtime_context().get_assigned_resources()
        label = json.dumps({**given, "threads": self._threads})
        return [Verdict(e.id, "resources", 1.0, label) for e in examples]
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """One Ray for all tests of this process: starting it takes seconds."""
    from staytrue.runs.engines.cluster import connected

    with connected(Cluster(workers=3)):
        yield


def rows(n: int) -> list[Example | Failure]:
    draw = random.Random(0)
    words = "coffee tea plant drink river tower city music dog planet".split()
    return [
        Failure(f"in:{number}", "broken") if number % 19 == 5
        else Example(str(number % (n - 3)), " ".join(draw.choices(words, k=number % 8)),
                     " ".join(draw.choices(words, k=9)))
        for number in range(n)
    ]  # fmt: skip


def contents(run: Path) -> list[list[bytes]]:
    return [sorted((run / name).read_bytes().split(b"\n")) for name in FILES]


def judged_both_ways(
    folder: Path,
    source: list[Example | Failure],
    specs: list[str],
    on: Cluster,
    batch_size: int,
    backend: str | None = None,
) -> tuple[Path, Path]:
    metrics = load_metrics(specs, backend=backend)
    signatures = {metric.name: metric.signature for metric in metrics}
    with RunWriter(folder / "here", signatures) as writer:
        judge_all(source, metrics, writer)
        here = writer.counts
    done: list[int] = []
    with RunWriter(folder / "ray", signatures) as writer:
        judge_on_ray(
            source, metrics, writer, on, backend=backend, batch_size=batch_size, rows=len(source),
            progress=done.append,
        )  # fmt: skip
        there = writer.counts
    assert sum(done) == len(source)
    for name, counts in here["metrics"].items():
        for kind in ("scored", "abstained", "failed"):
            assert there["metrics"][name][kind] == counts[kind]
    assert {k: here[k] for k in ("examples", "unreadable", "errors")} == {
        k: there[k] for k in ("examples", "unreadable", "errors")
    }
    return folder / "here", folder / "ray"


def spread(most_rows: int) -> st.SearchStrategy[Cluster]:
    """So many workers and rows of a partition, or as many rows as we think fit."""
    sizes = st.none() | st.integers(1, most_rows)
    return st.builds(Cluster, workers=st.integers(1, 3), partition_size=sizes)


@settings(max_examples=3)
@given(on=spread(40), batch_size=st.sampled_from([1, 3, 64]))
@pytest.mark.usefixtures("cluster")
def test_the_verdicts_are_those_of_one_process(on: Cluster, batch_size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        here, there = judged_both_ways(Path(folder), rows(80), ["overlap", "bleu"], on, batch_size)
        assert contents(there) == contents(here)
        assert {path.name for path in there.iterdir()} == {*FILES, "manifest.json", ".lock"}


@pytest.mark.usefixtures("cluster")
def test_files_are_scored_from_python_as_in_one_process(tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text(
        "".join(
            f'{{"id": "{n}", "response": "green tea {n}", "knowledge": "tea"}}\n' for n in range(9)
        )
        + "{broken\n"
    )
    on = Cluster(workers=2, partition_size=4)
    here = staytrue.score_files(file, tmp_path / "here", "overlap")
    there = staytrue.score_files(file, tmp_path / "there", "overlap", cluster=on)
    assert contents(there.folder) == contents(here.folder)
    assert there.counts["examples"] == 9


@pytest.mark.usefixtures("cluster")
def test_results_are_written_as_parquet_too(tmp_path: Path) -> None:
    source, metrics = rows(40), load_metrics(["overlap"])
    signatures = {metric.name: metric.signature for metric in metrics}
    with RunWriter(tmp_path / "here", signatures) as writer:
        judge_all(source, metrics, writer)
    with RunWriter(tmp_path / "ray", signatures, as_parquet=True) as writer:
        judge_on_ray(source, metrics, writer, Cluster(workers=2, partition_size=9))
    here, there = Run(tmp_path / "here"), Run(tmp_path / "ray")
    assert list(there.examples()) == list(here.examples())
    assert sorted(map(repr, there.verdicts())) == sorted(map(repr, here.verdicts()))
    assert {path.name for path in there.folder.iterdir()} == {
        "examples", "verdicts", "errors.jsonl", "manifest.json", ".lock",
    }  # fmt: skip


def test_progress_moves_while_partitions_are_judged_and_never_back() -> None:
    counts = iter([3, 1, 5])  # a worker died, and its rows are judged again
    done: list[int] = []
    with cluster_engine._told(lambda: next(counts, 9), done.append, seconds=0.01):
        wait_until(lambda: sum(done) == 9)
    assert [rows for rows in done if rows] == [3, 2, 4]


def test_every_metric_is_judged_on_ray() -> None:
    assert sorted(names("metrics")) == sorted(m for metrics, _ in JUDGED.values() for m in metrics)


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("file", JUDGED)
@settings(max_examples=2)
@given(on=spread(6))
def test_models_give_the_same_verdicts_too(file: str, on: Cluster) -> None:
    metrics, backend = JUDGED[file]
    with tempfile.TemporaryDirectory() as folder:
        source = rows_of(file, 6)
        here, there = judged_both_ways(Path(folder), source, metrics, on, 64, backend)
        assert contents(there) == contents(here)


@pytest.mark.usefixtures("cluster")
def test_trouble_of_a_worker_is_one_sentence(tmp_path: Path) -> None:
    metrics = load_metrics(["overlap"])
    signatures = {"overlap": metrics[0].signature}
    wrong = [type(metrics[0])("overlap", metrics[0].metric, "overlap|staytrue:0.0.0")]
    with (
        pytest.raises(RunError, match="has a different signature"),
        RunWriter(tmp_path, signatures) as writer,
    ):
        judge_on_ray(rows(5), wrong, writer, Cluster(workers=1))


def test_an_address_where_no_ray_is_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": "1", "response": "tea", "knowledge": "tea"}\n')
    command = ["score", str(path), "--metric", "overlap", "--engine", "ray", "--out", "run"]
    result = subprocess.run(
        [sys.executable, "-m", "staytrue", *command], cwd=tmp_path, text=True, capture_output=True,
        env={**os.environ, "RAY_ADDRESS": "127.0.0.1:9"},
    )  # fmt: skip
    assert result.returncode == 2, result.stderr
    assert "Ray cannot be reached at 127.0.0.1:9" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.fixture
def head(tmp_path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The address of a Ray cluster in processes of its own, and the environment to reach it."""
    port, client = free_port(), free_port()
    # Newer versions of Ray ask clients for a token; older ones do not know these variables.
    access = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    # On a busy machine the server that Ray starts for a client needs longer than half a minute, and
    # it may fail to start at all (it forks beside gRPC's threads): then another one is asked for.
    patience = {"RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": "60"}
    environment = {**os.environ, **access, **patience, "RAY_USAGE_STATS_ENABLED": "0"}
    options = [
        "--head", "--block", "--include-dashboard=false", "--node-ip-address=127.0.0.1",
        f"--port={port}", f"--ray-client-server-port={client}", "--num-cpus=2",
        "--object-store-memory=200000000",
    ]  # fmt: skip
    start = [str(Path(sys.executable).parent / "ray"), "start", *options]
    with (tmp_path / "head.log").open("w") as log:
        process = subprocess.Popen(start, env=environment, stdout=log, stderr=log)
    wait_until(lambda: listens(client), process)
    yield f"ray://127.0.0.1:{client}", environment
    below = descendants(process.pid)
    process.terminate()
    process.wait()
    kill(list(below))


def free_port() -> int:
    """A port outside of the range that Ray gives to workers."""
    draw = random.SystemRandom()
    while listens(port := draw.randrange(6400, 9900)):
        continue
    return port


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_cluster_elsewhere_gives_the_same_run(
    tmp_path: Path, head: tuple[str, dict[str, str]]
) -> None:
    address, environment = head
    save(tmp_path / "in.jsonl", ["tea " * (number % 7) for number in range(40)])
    score = [sys.executable, "-m", "staytrue", "score", "in.jsonl", "--metric", "overlap"]
    here = [*score, "--out", "here"]
    there = [*score, "--out", "there", "--engine", address, "--workers", "2"]
    for command in (here, there):
        result = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True,
            timeout=LONGEST_WAIT,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
    assert contents(tmp_path / "there") == contents(tmp_path / "here")


@pytest.fixture
def logged(tmp_path: Path) -> dict[str, str]:
    """An environment in which the metrics of `PLUG_IN` are installed."""
    home = tmp_path / "plug-in"
    info = home / "logged-1.0.dist-info"
    info.mkdir(parents=True)
    (home / "logged.py").write_text(PLUG_IN)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: logged\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[staytrue.metrics]\nlogged = logged:Logged\nresources = logged:Resources\n"
    )
    path = os.pathsep.join([str(home), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, "JUDGED": str(tmp_path / "judged.txt")}


def save(path: Path, responses: list[str]) -> Path:
    lines = [
        json.dumps({"id": str(n), "response": text, "knowledge": "tea is a plant"}) + "\n"
        for n, text in enumerate(responses)
    ]
    path.write_text("".join(lines))
    return path


def command(folder: Path, out: str, *options: str) -> list[str]:
    metrics = ("--metric", "logged", "--metric", "overlap")
    return [
        sys.executable, "-m", "staytrue", "score", str(folder / "in.jsonl"), *metrics,
        "--out", str(folder / out), "--quiet", *options,
    ]  # fmt: skip


def test_a_row_that_kills_its_worker_with_its_batch_and_twice_alone_is_an_error_record(
    tmp_path: Path, logged: dict[str, str]
) -> None:
    save(tmp_path / "in.jsonl", ["tea" * n if n != 13 else "die" for n in range(1, 25)])
    on_ray = command(tmp_path, "run", "--engine", "ray", "--workers", "1", "--partition-size", "8")
    result = subprocess.run(on_ray, env=logged, capture_output=True, text=True)
    assert result.returncode == 1, result.stderr
    run = Run(tmp_path / "run")
    (failure,) = run.failures()
    assert (failure.where, failure.metric) == ("12", "logged")
    assert "died 2 times" in failure.error
    counts = run.manifest["counts"]["metrics"]
    assert (counts["logged"]["scored"], counts["logged"]["failed"]) == (23, 1)
    assert counts["overlap"]["scored"] == 24


def test_a_worker_gets_the_cpus_and_the_memory_that_are_asked_for(
    tmp_path: Path, logged: dict[str, str]
) -> None:
    save(tmp_path / "in.jsonl", ["tea"] * 6)
    result = subprocess.run(
        [
            sys.executable, "-m", "staytrue", "score", "in.jsonl", "--metric", "resources",
            "--out", "run", "--quiet", "--engine", "ray", "--workers", "1", "--min-workers", "1",
            "--cpus-per-worker", "2", "--memory-per-worker", "0.5", "--partition-size", "3",
        ],
        cwd=tmp_path, env=logged, capture_output=True, text=True,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    (label,) = {verdict.label for verdict in Run(tmp_path / "run").verdicts()}
    assert label is not None
    given = json.loads(label)
    assert given["CPU"] == 2
    assert given["memory"] == 2**29
    assert given["threads"] == min(2, cluster_engine.usable_cores())


def descendants(pid: int) -> dict[int, str]:
    """Processes below this one → their command lines."""
    parents, lines = {}, {}
    for entry in Path("/proc").iterdir():
        try:
            number = int(entry.name)
            parents[number] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            lines[number] = (entry / "cmdline").read_text().replace("\0", " ")
        except (ValueError, OSError):
            continue
    below, processes = {pid}, {}
    while new := {child for child, parent in parents.items() if parent in below} - below:
        below |= new
        processes.update({child: lines.get(child, "") for child in new})
    return processes


def kill(pids: list[int]) -> None:
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def workers_of(driver: int) -> list[int]:
    return [pid for pid, line in descendants(driver).items() if line.startswith("ray::Map")]


def wait_until(come: Callable[[], object], process: subprocess.Popen[bytes] | None = None) -> None:
    end = time.monotonic() + LONGEST_WAIT
    while not come():
        assert time.monotonic() < end, "nothing happened for minutes"
        assert process is None or process.poll() is None, "the run ended before the last kill"
        time.sleep(0.05)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc")
def test_whatever_is_killed_nothing_is_lost_or_doubled(
    tmp_path: Path, logged: dict[str, str]
) -> None:
    n, size, workers = 600, 10, 2
    save(tmp_path / "in.jsonl", ["tea " * (number % 13) for number in range(n)])
    local = subprocess.run(command(tmp_path, "here"), env=logged, capture_output=True, text=True)
    logged["PAUSE"] = "0.02"  # long enough for something to be killed
    assert local.returncode == 0, local.stderr
    log = Path(logged["JUDGED"])
    log.unlink()
    on_ray = command(
        tmp_path, "ray", "--engine", "ray", "--workers", str(workers), "--partition-size", str(size)
    )
    draw = random.Random(1)
    # Ray meets the death of a worker; each other one ends the sitting, and the command runs again.
    process = None
    for victim in VICTIMS:
        if process is None:
            process = subprocess.Popen(
                on_ray, env=logged, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        before = log.stat().st_size if log.exists() else 0
        wait_until(lambda before=before: log.exists() and log.stat().st_size > before, process)
        time.sleep(draw.random())
        if victim == "worker":
            wait_until(lambda driver=process.pid: workers_of(driver), process)
            kill([draw.choice(workers_of(process.pid))])
            continue
        below = descendants(process.pid)
        kill([process.pid] if victim == "driver" else [*below, process.pid])
        process.wait()
        process = None
        wait_until(lambda pids=below: not any(Path(f"/proc/{pid}").exists() for pid in pids))
    last = subprocess.run(on_ray, env=logged, capture_output=True, text=True)
    assert last.returncode == 0, last.stderr
    assert contents(tmp_path / "ray") == contents(tmp_path / "here")
    judged = log.read_text().split()
    assert set(judged) == {str(number) for number in range(n)}
    # A kill costs at most the partitions that are being judged.
    assert len(judged) - n <= len(VICTIMS) * workers * size
