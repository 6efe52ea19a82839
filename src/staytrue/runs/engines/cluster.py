"""Judge a run on Ray: Ray Data reads its partitions, a pool of actors judges them.

Ray schedules, scales, restarts workers that die and tries their partitions again. Ours is only
what a partition is, and that a verdict is stored once.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

from staytrue.core.errors import MissingExtra, RunError, UsageError, one_line
from staytrue.core.records import Example, Failure
from staytrue.plugins.registry import NamedMetric, parse_spec
from staytrue.runs.engines.partitions import PartitionExchange
from staytrue.runs.engines.worker import Attempts, Job, PartitionJudge, SharedAttempts, not_shared
from staytrue.runs.progress import every
from staytrue.runs.writer import RunWriter

PARTITION_SIZE = 256
# Partitions that each worker gets at least, so that the last ones end at about the same time.
_ROUNDS = 4
SECONDS_BETWEEN_LOOKS = 2.0
_LOCAL_STORE = 512 * 2**20
# Ray gives up on a server that a busy machine needs half a minute to start.
_TOO_SLOW = ("Starting Ray client server failed", "Proxy failed to Connect")
_TRIES = 3
_LIMITS = ("max_requests", "max_cost", "per_minute")


@dataclass(frozen=True)
class Cluster:
    """Which Ray to run on, and how much of it."""

    address: str | None = None
    """`ray://HOST:PORT`, or anything that RAY_ADDRESS may hold; None starts Ray on this machine."""
    workers: int | None = None
    """Most workers at a time; None for as many as there are CPUs when the run starts."""
    min_workers: int | None = None
    """Workers that always run; None for all on this machine, and one on a cluster."""
    cpus: int = 1
    """CPUs of a worker."""
    memory: float | None = None
    """Gigabytes that Ray sets aside for a worker."""
    partition_size: int | None = None
    """Rows of a partition; None for at most 256, and fewer where that keeps all workers busy."""
    cpu_hour_price: float | None = None
    """What a CPU costs per hour, for an estimate."""


def judge_on_ray(
    source: Iterable[Example | Failure],
    metrics: Sequence[NamedMetric],
    writer: RunWriter,
    cluster: Cluster,
    *,
    backend: str | None = None,
    seed: int = 0,
    batch_size: int = 64,
    rows: int | None = None,
    strict: bool = False,
    retry_errors: bool = False,
    progress: Callable[[int], None] = lambda done: None,
    seconds_between_looks: float = SECONDS_BETWEEN_LOOKS,
) -> None:
    """Judge everything that the run does not have yet, partition by partition.

    `rows` is about how many the source has, if anybody knows.
    """
    check_backend(backend)
    check_installed()
    with connected(cluster) as most:
        exchange = PartitionExchange(writer)
        exchange.take_in_leftovers(verdicts_only=retry_errors)
        names = tuple(metric.name for metric in metrics)
        size = cluster.partition_size or _partition_size(rows, most)
        count = exchange.hand_out(source, names, size=size, strict=strict, progress=progress)
        job = Job(
            exchange.parts, names, {m.name: m.signature for m in metrics}, backend, seed, batch_size
        )
        if count:
            attempts = _shared_attempts()
            results = _results_from(cluster)(
                job, exchange.partitions, count, cluster, most, attempts
            )
            with _told(attempts.judged, progress, seconds_between_looks):
                for result in results:
                    if result["part"] and (exchange.parts / result["part"]).exists():
                        exchange.take_in(result["part"])
                    elif not result["trouble"]:
                        raise RunError(not_shared(exchange.parts, "the part is not here"))
                    if result["trouble"]:
                        raise RunError(result["trouble"])
        exchange.close()


def _shared_attempts() -> SharedAttempts:
    import ray

    return SharedAttempts(ray.remote(num_cpus=0)(Attempts).remote())


@contextmanager
def _told(
    judged: Callable[[], int], progress: Callable[[int], None], seconds: float
) -> Iterator[None]:
    """Look every so many seconds how many rows the workers have judged: a partition may take long.

    Rows that are judged again, because their worker died, are told once.
    """
    import ray

    told = 0

    def tell() -> None:
        nonlocal told
        with suppress(ray.exceptions.RayError):  # the run itself says what is wrong
            now = judged()
            progress(max(0, now - told))
            told = max(told, now)

    with every(seconds, tell):
        yield
    tell()


def check_backend(backend: str | None) -> None:
    """Refuse limits that each worker would count for itself."""
    options = parse_spec(backend)[1] if backend else {}
    if limits := [name for name in _LIMITS if name in options]:
        raise UsageError(
            f"On Ray each worker would count {' and '.join(limits)} separately: "
            "leave it out, or score with --engine local."
        )


def _partition_size(rows: int | None, workers: int) -> int:
    if rows is None:
        return PARTITION_SIZE
    return max(1, min(PARTITION_SIZE, -(-rows // (workers * _ROUNDS))))


def check_installed() -> None:
    """Say how to install Ray, where it is not."""
    try:
        import ray.data  # noqa: F401
    except ImportError:
        raise MissingExtra("--engine ray", "ray") from None


@contextmanager
def connected(cluster: Cluster) -> Iterator[int]:
    """Connect to Ray, or start it here, and yield the number of workers that fit."""
    import ray

    mine = not ray.is_initialized()
    if mine:
        _start(ray, cluster)
    try:
        # Its warnings tell of a cluster that has no room; we have progress of our own.
        logging.getLogger("ray.data").setLevel(logging.WARNING)
        logging.getLogger("ray.data._internal.progress").setLevel(logging.ERROR)
        cpus = int(ray.cluster_resources().get("CPU", 0))
        most = cluster.workers or max(1, cpus // cluster.cpus)
        if cluster.cpus > cpus and cluster.address is None:
            raise UsageError(f"This machine has {cpus} CPUs: lower --cpus-per-worker.")
        yield most
    finally:
        if mine:
            ray.shutdown()


def _start(ray: Any, cluster: Cluster) -> None:
    # Nothing that we start reports home or fills the terminal with the log of a database.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if cluster.address:
            _knock(cluster.address)
            _join(ray, cluster.address, quiet)
        else:
            # Ray may ask nobody for a password: here it listens to this machine only.
            ray.init(
                address="local", num_cpus=_local_cpus(cluster), include_dashboard=False,
                object_store_memory=_LOCAL_STORE, _node_ip_address="127.0.0.1", **quiet,
            )  # fmt: skip
    except Exception as error:  # Ray raises plain ones, too, as where a machine is too busy
        reason = _reason(error)
        if cluster.address is None:
            raise RunError(
                f"Ray does not start on this machine ({reason}): try again when it is less busy."
            ) from None
        raise RunError(
            f"Ray cannot be reached at {cluster.address} ({reason}): check the address, and "
            "that the cluster runs the same versions of Ray and Python."
        ) from None


def _join(ray: Any, address: str, quiet: dict[str, Any]) -> None:
    """Connect; a busy cluster may need longer than Ray waits to start a server for us."""
    for _ in range(_TRIES - 1):
        try:
            ray.init(address=address, **quiet)
        except Exception as error:
            if not any(words in str(error) for words in _TOO_SLOW):
                raise
        else:
            return
    ray.init(address=address, **quiet)


def _reason(error: Exception) -> str:
    """What Ray says; where it sends the traceback of another machine, that one's last line."""
    text = str(error).strip()
    return one_line(text.splitlines()[-1] if "Traceback" in text else text, 200)


def _knock(address: str) -> None:
    """Raise OSError at once where nobody listens: Ray itself would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), timeout=10).close()


def _local_cpus(cluster: Cluster) -> int:
    """The machine's cores, or as many as the workers ask for: they then share the cores."""
    return max(usable_cores(), (cluster.workers or 0) * cluster.cpus)


def usable_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _results_from(cluster: Cluster) -> Callable[..., Iterator[dict[str, Any]]]:
    """Where Ray Data runs: here, or, as it cannot be driven over a `ray://` address, there."""
    remote = cluster.address is not None and cluster.address.startswith("ray://")
    return _results_there if remote else _results


class _There:
    """Drives Ray Data in an actor on the cluster, for who is connected as a client."""

    def __init__(self, *arguments: Any) -> None:
        self._rows = _results(*arguments)

    def next(self) -> dict[str, Any] | None:
        """The result of the next partition that ended; None after the last."""
        try:
            return next(self._rows, None)
        except RunError as error:  # raised here, it would arrive wrapped in pages of Ray's
            return {"part": "", "trouble": str(error)}


def _results_there(*arguments: Any) -> Iterator[dict[str, Any]]:
    import ray

    there = ray.remote(num_cpus=0)(_There).remote(*arguments)
    try:
        while (row := ray.get(there.next.remote())) is not None:
            yield row
    except ray.exceptions.RayError as error:
        raise _stopped(error) from error


def _results(
    job: Job, partitions: Path, count: int, cluster: Cluster, most: int, attempts: SharedAttempts
) -> Iterator[dict[str, Any]]:
    """One row per partition, as they end."""
    import ray
    import ray.data

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    least = cluster.min_workers or (1 if cluster.address else most)
    options: dict[str, Any] = {"num_cpus": cluster.cpus}
    if cluster.memory:
        options["memory"] = int(cluster.memory * 2**30)
    # Reading is cheap: it takes no CPU from the judges, and one process at a time.
    free: dict[str, Any] = {"num_cpus": 0}
    if "num_cpus" not in signature(ray.data.read_binary_files).parameters:
        free = {"ray_remote_args": free}  # before Ray 2.5x
    read = ray.data.read_binary_files(
        str(partitions), include_paths=True, override_num_blocks=count, concurrency=1,
        **free,
    )  # fmt: skip
    judged = read.map_batches(
        PartitionJudge,
        fn_constructor_kwargs={"job": job, "attempts": attempts},
        batch_size=1,
        compute=ray.data.ActorPoolStrategy(min_size=min(least, most, count), max_size=most),
        **options,
    )
    try:
        yield from judged.iter_rows()
    except ray.exceptions.RayError as error:
        raise _stopped(error) from error


def _stopped(error: Exception) -> RunError:
    reason = one_line(str(error.__cause__ or error).strip().splitlines()[-1], 200)
    return RunError(f"Ray stopped ({reason}): what was judged is kept; run the same command again.")
