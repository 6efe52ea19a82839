"""A process that judges, and can be ended while it does."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from staytrue.core.errors import StaytrueError
from staytrue.core.records import Example, Verdict
from staytrue.plugins.registry import NamedMetric
from staytrue.web.faults import Busy

Load = Callable[..., NamedMetric]
"""As `registry.load_metric`."""

MOST_METRICS = 16
START_SECONDS = 180.0
# Pages come first: a person waits for them, and judging takes seconds anyway.
_NICE = 10


@dataclass(frozen=True)
class MetricOutcome:
    """What one metric said of one example: a verdict, or a sentence on what went wrong."""

    verdict: Verdict | None
    error: str = ""


@dataclass(frozen=True)
class MetricResult:
    """What a metric said of several examples."""

    signature: str
    judged: list[MetricOutcome]


@dataclass(frozen=True)
class UnusableMetric:
    """The metric cannot be used at all: a sentence that says why."""

    sentence: str


class Ended(Exception):
    """The process was ended, or ended itself, before it had answered."""


class WorkerProcess:
    """One process; it starts when it is first needed, and again after it was ended."""

    def __init__(self, load: Load, backend: str | None, warm: Sequence[str]) -> None:
        self._arguments = (load, backend, tuple(warm))
        self._starting = threading.Lock()
        self._running: tuple[Any, Connection] | None = None

    def start(self) -> None:
        """Start the process and wait until its models are loaded."""
        self._started()

    def _started(self) -> Connection:
        with self._starting:
            if self._running is not None and self._running[0].is_alive():
                return self._running[1]
            # A fork of a process with threads may hang.
            context = multiprocessing.get_context("spawn")
            ours, theirs = context.Pipe()
            process = context.Process(
                target=_serve, args=(theirs, *self._arguments), name="staytrue-judge", daemon=True
            )
            process.start()
            theirs.close()
            self._running = (process, ours)
            try:
                self._receive(ours, START_SECONDS)
            except Ended:
                raise Busy("The models could not be loaded: try again later.", 60) from None
            return ours

    def judge(self, spec: str, examples: Sequence[Example], seconds: float) -> MetricResult:
        """Judge within so many seconds, or the process ends and `Ended` is raised."""
        pipe = self._started()
        try:
            pipe.send((spec, list(examples)))
        except OSError:
            self.end()
            raise Ended from None
        answer: MetricResult | UnusableMetric = self._receive(pipe, seconds)
        if isinstance(answer, UnusableMetric):
            raise StaytrueError(answer.sentence)
        return answer

    def _receive(self, pipe: Connection, seconds: float) -> Any:
        with contextlib.suppress(EOFError, OSError):
            if pipe.poll(seconds):
                return pipe.recv()
        self.end()
        raise Ended

    def end(self) -> None:
        """End the process, whatever it is doing."""
        running, self._running = self._running, None
        if running is not None:
            process, pipe = running
            process.kill()
            process.join()
            pipe.close()


def _serve(pipe: Connection, load: Load, backend: str | None, warm: Sequence[str]) -> None:
    """What the process does: judge what comes until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes us
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICE)
    metrics = Metrics(load, backend)
    example = Example("warm", "Paris is in France.", "Paris is in France.")
    for spec in warm:
        metrics.judge(spec, [example])  # whoever asks for a metric that fails is told then
    with contextlib.suppress(EOFError, OSError):
        pipe.send("ready")
        while True:
            spec, examples = pipe.recv()
            pipe.send(metrics.judge(spec, examples))


class Metrics:
    """The metrics that were used last, loaded."""

    def __init__(self, load: Load, backend: str | None) -> None:
        self._load = load
        self._backend = backend
        self._kept: OrderedDict[str, NamedMetric] = OrderedDict()

    def judge(self, spec: str, examples: Sequence[Example]) -> MetricResult | UnusableMetric:
        """Judge the examples; one of them that makes the metric fail spoils no other."""
        try:
            metric = self._metric(spec)
            return MetricResult(metric.signature, _judged(metric, examples))
        except StaytrueError as error:
            return UnusableMetric(str(error))
        except Exception as error:
            return UnusableMetric(f"The metric '{spec}' failed: {type(error).__name__}.")

    def _metric(self, spec: str) -> NamedMetric:
        metric = self._kept.pop(spec, None) or self._load(spec, backend=self._backend)
        self._kept[spec] = metric
        while len(self._kept) > MOST_METRICS:
            self._kept.popitem(last=False)
        return metric


def _judged(metric: NamedMetric, examples: Sequence[Example]) -> list[MetricOutcome]:
    try:
        return [MetricOutcome(verdict) for verdict in metric.judge(examples)]
    except StaytrueError:
        raise  # a model is missing: nobody's examples can be judged
    except Exception:
        return [_judged_alone(metric, example) for example in examples]


def _judged_alone(metric: NamedMetric, example: Example) -> MetricOutcome:
    try:
        return MetricOutcome(metric.judge([example])[0])
    except Exception as error:
        return MetricOutcome(None, f"The metric failed: {type(error).__name__}: {error}")
