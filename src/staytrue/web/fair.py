"""A waiting line that is fair: clients take turns, however much each of them has asked for."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from staytrue.web.faults import Busy, TooFast


class WaitingJob(Protocol):
    """What waits."""

    @property
    def client(self) -> str:
        """Whose it is."""


J = TypeVar("J", bound=WaitingJob)


class FairQueue(Generic[J]):
    """Jobs by client. Each client's own wait in order; between clients it goes round."""

    def __init__(self, *, at_once: int, of_client: int, of_all: int) -> None:
        """`at_once` jobs of a client run at a time; so many wait for a client and for all."""
        self._at_once = at_once
        self._of_client = of_client
        self._of_all = of_all
        self._lines: OrderedDict[str, deque[J]] = OrderedDict()
        self._running: Counter[str] = Counter()
        self._changed = threading.Condition()
        self._closed = False

    def put(self, jobs: list[J]) -> None:
        """Let the jobs of one client wait, all of them or none."""
        with self._changed:
            client = jobs[0].client
            line = self._lines.get(client, ())
            if len(line) + len(jobs) > self._of_client:
                raise TooFast("Your other requests are still being judged: wait for them.", 5)
            if sum(map(len, self._lines.values())) + len(jobs) > self._of_all:
                raise Busy("Too many requests are waiting: try again in a moment.", 10)
            self._lines.setdefault(client, deque()).extend(jobs)
            self._changed.notify()

    def take(self) -> J | None:
        """The next job of the client whose turn it is; None when the queue is closed and empty."""
        with self._changed:
            while True:
                for client in self._lines:
                    if self._running[client] < self._at_once:
                        return self._pop(client)
                if self._closed and not self._lines:
                    return None
                self._changed.wait()

    def take_like(self, fits: Callable[[J], bool]) -> J | None:
        """The first waiting job that fits, if it is first in its client's line."""
        with self._changed:
            for client, line in self._lines.items():
                if fits(line[0]):
                    return self._pop(client)
            return None

    def _pop(self, client: str) -> J:
        line = self._lines.pop(client)
        job = line.popleft()
        if line:
            self._lines[client] = line  # at the end: the others come first now
        self._running[client] += 1
        return job

    def done(self, job: J) -> None:
        """The job is not running any more."""
        with self._changed:
            self._running[job.client] -= 1
            if not self._running[job.client]:
                del self._running[job.client]
            self._changed.notify_all()

    def close(self) -> None:
        """Take what waits, then stop."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def __len__(self) -> int:
        with self._changed:
            return sum(map(len, self._lines.values()))
