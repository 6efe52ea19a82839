"""The section "Two cores" of docs/performance.md: what the commands in benchmarks/ measure."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks import begin, consistency, first, guard, q2

from reproduce.pages import table
from staytrue.backends.embedded import EmbeddedBackend
from staytrue.core.records import Example
from staytrue.english import parses
from staytrue.plugins.registry import forget_backends, load_metric

TITLE = "Two cores"
BACKEND = "embedded,size=small"
LONG_KNOWLEDGE = 500
_CORES = 2
_ONE_THREAD = "OMP_NUM_THREADS"


def section(
    *,
    q2_rows: int = q2.RESPONSES,
    begin_rows: int = begin.ROWS,
    consistency_rows: int = consistency.ROWS,
    rounds: int = first.ROUNDS,
    calls: int = guard.CALLS,
) -> list[str]:
    """Measure it all with the small models, and give the lines of the page."""
    with _all_threads():
        rows = [
            _q2(q2_rows),
            _begin(begin_rows),
            _consistency(consistency_rows),
            _consistency(consistency_rows, LONG_KNOWLEDGE),
            *(_first(metric, rounds) for metric in first.METRICS),
            *_guard(calls),
        ]
    return [
        f"## {TITLE}",
        "",
        "The small models with a thread on each of two cores, as the commands in the last column "
        f"measure it. *Guard* is `staytrue.Guard` on {guard.WORDS} words of knowledge.",
        "",
        table(("", "measured", "unit", "command"), rows),
    ]


Row = tuple[str, str, str, str]
_RATE = "responses per second"


def _q2(responses: int) -> Row:
    rows = q2.read(q2.source(), responses)
    backend = EmbeddedBackend(size="small")
    speed = q2.measure("default", q2.by_default, backend, rows, q2.token_counter())
    return "`q2`, default", f"{speed.responses_per_second:.1f}", _RATE, _command("q2")


def _begin(number: int) -> Row:
    rows = begin.examples(number)
    return "`begin`, default", f"{_rate('begin', rows):.1f}", _RATE, _command("begin")


def _consistency(number: int, words: int = 0) -> Row:
    rows = consistency.lengthened(begin.examples(number), words)
    name = f"`consistency`, {consistency.mean_words(rows):.0f} words of knowledge"
    command = _command("consistency", *([f"--words {words}"] if words else []))
    return name, f"{_rate('consistency', rows):.1f}", _RATE, command


def _rate(metric: str, rows: list[Example]) -> float:
    # Both remember what they have seen.
    forget_backends()
    parses.forget()
    wall, _ = begin.timed(load_metric(metric, backend=BACKEND), rows)
    return len(rows) / wall


def _first(metric: str, rounds: int) -> Row:
    took = first.median(metric, BACKEND, rounds)
    name = f"first verdict of a fresh process, `{metric}`"
    return name, f"{took.wall:.2f}", "seconds", _command("first")


def _guard(calls: int) -> list[Row]:
    forget_backends()
    alone, together = guard.alone_and_together(BACKEND, calls)
    unit, command = "milliseconds", _command("guard")
    busy = f"guard, {guard.THREADS} calls at once, 95 of 100 within"
    return [
        ("guard, one call at a time, median", f"{alone.median:.0f}", unit, command),
        (busy, f"{together.p95:.0f}", unit, command),
    ]


def _command(name: str, *options: str) -> str:
    return f"`{' '.join([f'python -m benchmarks.{name}', *options])}`"


@contextmanager
def _all_threads() -> Iterator[None]:
    """Two cores for the models, though the rest of the page is measured with one thread."""
    limit = os.environ.pop(_ONE_THREAD, None)
    pinned = hasattr(os, "sched_setaffinity")
    cores = os.sched_getaffinity(0) if pinned else set()
    if pinned:
        os.sched_setaffinity(0, sorted(cores)[:_CORES])
    try:
        yield
    finally:
        if pinned:
            os.sched_setaffinity(0, cores)
        if limit is not None:
            os.environ[_ONE_THREAD] = limit
