"""Judges examples for many requests at once, in processes that can be ended."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from functools import partial

from staytrue.core.errors import StaytrueError
from staytrue.core.records import Example
from staytrue.plugins.registry import load_metric
from staytrue.web.fair import FairQueue
from staytrue.web.faults import Busy, TooMuch
from staytrue.web.worker import Ended, Load, MetricResult, WorkerProcess

BATCH_SIZE = 64
WAIT_SECONDS = 0.004
# Longer requests are judged alone, so that a slow one delays no other.
_SHORT = 4_000
_WAITING_OF_CLIENT = 64
_WAITING_OF_ALL = 1_024

Answers = dict[str, MetricResult]
"""Spec → what the metric said, in the examples' order."""


@dataclass
class Request:
    """One client's examples, to be judged by several metrics within a budget of time."""

    client: str
    examples: Sequence[Example]
    specs: Sequence[str]
    seconds: float
    """What is left of the budget."""
    answers: Answers = field(default_factory=dict)
    result: Future[Answers] = field(default_factory=Future)

    def fail(self, error: Exception) -> None:
        """Tell whoever waits, unless they know already."""
        with contextlib.suppress(InvalidStateError):
            self.result.set_exception(error)

    def add(self, spec: str, answer: MetricResult) -> None:
        """Keep an answer; the last one completes the result."""
        self.answers[spec] = answer
        if len(self.answers) == len(self.specs):
            with contextlib.suppress(InvalidStateError):
                self.result.set_result({spec: self.answers[spec] for spec in self.specs})


@dataclass(frozen=True)
class _Job:
    request: Request
    spec: str
    client: str
    characters: int


class Scorer:
    """Requests that arrive together share a batch; clients take turns."""

    def __init__(
        self, backend: str | None = None, *, warm: Sequence[str] = (), workers: int = 2,
        most_characters: int = 100_000, seconds: float = 30.0, load: Load = load_metric,
    ) -> None:  # fmt: skip
        """Each request may hold `most_characters` and take `seconds` of judging."""
        self._most_characters = most_characters
        self._seconds = seconds
        # One client never holds all workers: the others always find one.
        self._waiting: FairQueue[_Job] = FairQueue(
            at_once=max(1, workers - 1), of_client=_WAITING_OF_CLIENT, of_all=_WAITING_OF_ALL
        )
        self._counting = threading.Lock()
        self.batches = 0
        """Batches judged so far."""
        self.examples = 0
        """Examples judged so far, counted once per metric."""
        self._ready = threading.Event()
        self._workers = [WorkerProcess(load, backend, warm) for _ in range(workers)]
        self._threads = [
            threading.Thread(target=self._work, args=(worker,), name="scorer", daemon=True)
            for worker in self._workers
        ]
        for thread in self._threads:
            thread.start()

    @property
    def is_ready(self) -> bool:
        """Whether a process has loaded its models."""
        return self._ready.is_set()

    def start(self) -> None:
        """Start the processes now, so that nobody waits for them later."""
        for worker in self._workers:
            threading.Thread(target=self._start, args=(worker,), daemon=True).start()

    def _start(self, worker: WorkerProcess) -> None:
        with contextlib.suppress(Busy):  # whoever asks is told
            worker.start()
            self._ready.set()

    def close(self) -> None:
        """Finish what is waiting and stop."""
        self._waiting.close()
        deadline = time.monotonic() + self._seconds
        for thread in self._threads:
            thread.join(timeout=max(0.0, deadline - time.monotonic()))
        for worker in self._workers:
            worker.end()

    def submit(
        self, specs: Sequence[str], examples: Sequence[Example], client: str = ""
    ) -> Future[Answers]:
        """Ask for verdicts of each metric; what cannot be taken on is refused at once."""
        characters = sum(map(_characters, examples))
        if characters > self._most_characters:
            raise TooMuch(
                f"The examples hold {characters:,} characters; send at most "
                f"{self._most_characters:,} at once."
            )
        request = Request(client, examples, list(dict.fromkeys(specs)), self._seconds)
        self._waiting.put([_Job(request, spec, client, characters) for spec in request.specs])
        return request.result

    def judge(
        self, specs: Sequence[str], examples: Sequence[Example], timeout: float | None = None
    ) -> Answers:
        """Judge the examples with each metric and wait for it."""
        return self.submit(specs, examples).result(timeout)

    def _work(self, worker: WorkerProcess) -> None:
        while (job := self._waiting.take()) is not None:
            jobs = self._with_others(job)
            try:
                self._judge(worker, jobs)
            finally:
                for one in jobs:
                    self._waiting.done(one)

    def _with_others(self, first: _Job) -> list[_Job]:
        """The job with more of the same metric, as long as all of them are short."""
        jobs, size = [first], len(first.request.examples)
        left = _SHORT - first.characters
        end = time.monotonic() + WAIT_SECONDS
        while size < BATCH_SIZE and left >= 0:
            more = self._waiting.take_like(partial(_fits, first.spec, left))
            if more is not None:
                jobs.append(more)
                size += len(more.request.examples)
                left -= more.characters
            elif time.monotonic() < end:
                time.sleep(WAIT_SECONDS / 4)
            else:
                break
        return jobs

    def _judge(self, worker: WorkerProcess, jobs: Sequence[_Job]) -> None:
        jobs = [job for job in jobs if not job.request.result.done()]
        if not jobs:
            return
        try:
            self._judge_together(worker, jobs)
        except Ended:
            if len(jobs) > 1:  # one of them took the others' time
                for job in jobs:
                    self._judge(worker, [job])
            else:
                jobs[0].request.fail(TooMuch(
                    f"Judging takes more than {self._seconds:g} seconds or too much memory: send "
                    "fewer or shorter examples."
                ))  # fmt: skip
        except StaytrueError as error:
            for job in jobs:
                job.request.fail(error)

    def _judge_together(self, worker: WorkerProcess, jobs: Sequence[_Job]) -> None:
        examples = [example for job in jobs for example in job.request.examples]
        self._start(worker)  # what this takes is nobody's budget
        begin = time.monotonic()
        seconds = min(job.request.seconds for job in jobs)
        try:
            answer = worker.judge(jobs[0].spec, examples, max(0.1, seconds))
        finally:
            if len(jobs) == 1:
                jobs[0].request.seconds -= time.monotonic() - begin
        with self._counting:
            self.batches += 1
            self.examples += len(examples)
        start = 0
        for job in jobs:
            end = start + len(job.request.examples)
            job.request.add(job.spec, MetricResult(answer.signature, answer.judged[start:end]))
            start = end


def _fits(spec: str, room: int, job: _Job) -> bool:
    return job.spec == spec and job.characters <= room


def _characters(example: Example) -> int:
    probe = example.probe
    asked = len(probe.question) + len(probe.truth) + len(probe.fact) if probe else 0
    in_history = sum(len(turn.text) for turn in example.history)
    return len(example.response) + len(example.knowledge) + in_history + asked + sum(
        map(len, example.persona)
    )  # fmt: skip
