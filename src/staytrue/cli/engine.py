"""Where a run is made: the options `--engine` and those that are for Ray only."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import click

from staytrue.core.errors import UsageError
from staytrue.runs.engines.cluster import Cluster

_RAY_ONLY = {
    "workers": "--workers",
    "min_workers": "--min-workers",
    "cpus": "--cpus-per-worker",
    "memory": "--memory-per-worker",
    "partition_size": "--partition-size",
    "cpu_hour_price": "--cpu-hour-price",
}


price_option = click.option(
    "--cpu-hour-price",
    type=click.FloatRange(min=0),
    metavar="MONEY",
    help="Ray: what a CPU costs per hour, for --dry-run.",
)
"""Stands above `engine_options`, for commands that can tell what a run on Ray will cost."""


def engine_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options, and call it with `cluster`: None for this process."""

    @click.option(
        "--engine",
        default="local",
        show_default=True,
        metavar="local|ray|ray://HOST:PORT",
        help="Work in this process, or on Ray: at an address, at RAY_ADDRESS, or started here.",
    )
    @click.option("--workers", type=click.IntRange(1), help="Ray: at most N [default: all CPUs].")
    @click.option(
        "--min-workers",
        type=click.IntRange(1),
        help="Ray: workers that always run [default: all here, 1 on a cluster].",
    )
    @click.option(
        "--cpus-per-worker", "cpus", type=click.IntRange(1), help="Ray: CPUs each [default: 1]."
    )
    @click.option(
        "--memory-per-worker",
        "memory",
        type=click.FloatRange(min=0, min_open=True),
        metavar="GB",
        help="Ray: memory reserved for each worker.",
    )
    @click.option(
        "--partition-size",
        type=click.IntRange(1),
        metavar="ROWS",
        help="Ray: rows that a worker judges, and a crash loses, at a time [default: up to 256].",
    )
    @functools.wraps(command)
    def with_cluster(*, engine: str, **others: Any) -> None:
        given = {name: others.pop(name) for name in _RAY_ONLY if name in others}
        command(**others, cluster=_cluster(engine, given))

    return with_cluster


def _cluster(engine: str, given: dict[str, Any]) -> Cluster | None:
    chosen = {name: value for name, value in given.items() if value is not None}
    if engine == "local":
        if chosen:
            first = _RAY_ONLY[next(iter(chosen))]
            raise UsageError(f"{first} is for runs on Ray: add --engine ray.")
        return None
    if engine != "ray" and not engine.startswith("ray://"):
        raise UsageError(f"Unknown engine '{engine}'; choose from: local, ray, ray://HOST:PORT.")
    most = chosen.get("workers")
    if most is not None and chosen.get("min_workers", 1) > most:
        raise UsageError("--min-workers is greater than --workers: lower it.")
    address = os.environ.get("RAY_ADDRESS") or None if engine == "ray" else engine
    return Cluster(address, **chosen)
