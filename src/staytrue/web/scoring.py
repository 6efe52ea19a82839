"""Judges examples for many requests at once: what arrives together is judged in one batch."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from staytrue.core.errors import StaytrueError, UsageError
from staytrue.core.records import Example, Verdict
from staytrue.plugins.registry import NamedMetric, load_metric

BATCH_SIZE = 64
WAIT_SECONDS = 0.004
MOST_METRICS = 16


@dataclass(frozen=True)
class Judged:
    """What one metric said of one example: a verdict, or a sentence on what went wrong."""

    verdict: Verdict | None
    error: str = ""


@dataclass
class _Request:
    metric: str
    examples: Sequence[Example]
    answer: Future[list[Judged]] = field(default_factory=Future)


class Scorer:
    """Collects requests for a few milliseconds and judges them together."""

    def __init__(self, backend: str | None = None, *, batch_size: int = BATCH_SIZE) -> None:
        self._backend = backend
        self._batch_size = batch_size
        self._metrics: dict[str, NamedMetric] = {}
        self._loading = threading.Lock()
        self._waiting: SimpleQueue[_Request | None] = SimpleQueue()
        self.batches = 0
        """Batches judged so far."""
        self.examples = 0
        """Examples judged so far, counted once a metric."""
        self._thread = threading.Thread(target=self._work, name="scorer", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Finish what is waiting and stop."""
        self._waiting.put(None)
        self._thread.join(timeout=30)

    def metric(self, spec: str) -> NamedMetric:
        """The loaded metric; loading it happens once."""
        with self._loading:
            if spec not in self._metrics:
                if len(self._metrics) >= MOST_METRICS:
                    raise UsageError("Too many different metrics were asked for; use fewer.")
                self._metrics[spec] = load_metric(spec, backend=self._backend)
            return self._metrics[spec]

    def warm(self, specs: Sequence[str]) -> None:
        """Load the models and judge once with each, so that nobody waits for them later."""
        example = Example("warm", "Paris is in France.", "Paris is in France.")
        for spec in specs:
            # Whoever asks for a metric that cannot be loaded is told then.
            with contextlib.suppress(StaytrueError):
                self.judge([spec], [example])

    def submit(self, spec: str, examples: Sequence[Example]) -> Future[list[Judged]]:
        """Ask for verdicts, in the examples' order."""
        self.metric(spec)
        request = _Request(spec, examples)
        self._waiting.put(request)
        return request.answer

    def judge(
        self, specs: Sequence[str], examples: Sequence[Example], timeout: float = 60
    ) -> dict[str, list[Judged]]:
        """Judge the examples with each metric and wait for it."""
        asked = {spec: self.submit(spec, examples) for spec in specs}
        return {spec: answer.result(timeout) for spec, answer in asked.items()}

    def _work(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch, more = self._collect(first)
            for spec in dict.fromkeys(request.metric for request in batch):
                self._judge(spec, [request for request in batch if request.metric == spec])
            if not more:
                return

    def _collect(self, first: _Request) -> tuple[list[_Request], bool]:
        batch, size = [first], len(first.examples)
        end = time.monotonic() + WAIT_SECONDS
        while size < self._batch_size:
            try:
                request = self._waiting.get(timeout=max(0.0, end - time.monotonic()))
            except Empty:
                break
            if request is None:
                return batch, False
            batch.append(request)
            size += len(request.examples)
        return batch, True

    def _judge(self, spec: str, requests: Sequence[_Request]) -> None:
        examples = [example for request in requests for example in request.examples]
        try:
            judged = self._judged(spec, examples)
        except BaseException as error:
            for request in requests:
                request.answer.set_exception(error)
            return
        start = 0
        for request in requests:
            end = start + len(request.examples)
            request.answer.set_result(judged[start:end])
            start = end

    def _judged(self, spec: str, examples: Sequence[Example]) -> list[Judged]:
        self.batches += 1
        self.examples += len(examples)
        metric = self.metric(spec)
        try:
            return [Judged(verdict) for verdict in metric.judge(examples)]
        except StaytrueError:
            raise  # a model is missing: nobody's examples can be judged
        except Exception:
            # One of them makes the metric fail: the others must not suffer for it.
            return [_judged_alone(metric, example) for example in examples]


def _judged_alone(metric: NamedMetric, example: Example) -> Judged:
    try:
        return Judged(metric.judge([example])[0])
    except Exception as error:
        return Judged(None, f"The metric failed: {type(error).__name__}: {error}")
