"""Workers on Ray that reply for bots, while the one engine that talks decides when.

The engine stays in one process: it holds the conversations, so its limits (replies at once, per
minute, requests, money) are over all workers, and what it gives is what it gives without Ray. Only
the work is elsewhere: replies, questions, and in the end the judging.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from threading import Lock
from typing import Any, TypeVar

from staytrue.core.errors import ChatbotError, RunError, StaytrueError, UsageError
from staytrue.core.protocols import Backend, Chatbot
from staytrue.core.records import Turn
from staytrue.core.retry import once
from staytrue.core.usage import Usage, usage_of
from staytrue.elicit.talking.budget import Limits
from staytrue.elicit.talking.engine import problem_of
from staytrue.plugins.registry import load_chatbot
from staytrue.runs.engines.cluster import Cluster, check_backend, check_installed, connected

Row = TypeVar("Row")
# What a bot may state about itself (see `core.protocols.Chatbot`).
_STATED = ("retry", "timeout", "max_tokens")
_COUNTED = ("requests", "retries", "tokens_in", "tokens_out")


@dataclass(frozen=True)
class Outcome:
    """What came of a call: its value or its error, and what the part has used meanwhile."""

    value: Any = None
    error: StaytrueError | None = None
    used: tuple[tuple[str, int], ...] = ()

    def result(self) -> Any:
        """The value, unless the call failed."""
        if self.error is not None:
            raise self.error
        return self.value


class Worker:
    """Makes each part when it is first asked for, and calls its methods, in several threads."""

    def __init__(self, makers: Mapping[str, Callable[[], Any]], release: str) -> None:
        self._makers = dict(makers)
        self._release = release
        self._parts: dict[str, Any] = {}
        self._told: dict[str, dict[str, int]] = {}
        self._lock = Lock()

    def ready(self) -> None:
        """Return as soon as the worker runs."""

    def call(self, name: str, method: str, *arguments: Any, **options: Any) -> Outcome:
        """Call a method; an error is returned, as raised it would arrive wrapped in Ray's own."""
        try:
            part = self._part(name)
        except Exception as error:
            return Outcome(error=_portable(error))
        try:
            value = getattr(part, method)(*arguments, **options)
        except Exception as error:
            return Outcome(error=_portable(error), used=self._used(name, part))
        return Outcome(value, used=self._used(name, part))

    def _part(self, name: str) -> Any:
        with self._lock:
            if name not in self._parts:
                if (here := version("staytrue")) != self._release:
                    raise RunError(
                        f"A worker has staytrue {here} instead of {self._release}: "
                        "install the same version on all machines of the cluster."
                    )
                self._parts[name] = self._makers[name]()
            return self._parts[name]

    def _used(self, name: str, part: Any) -> tuple[tuple[str, int], ...]:
        """What the part has counted since this was last told, by whichever thread."""
        usage = usage_of(part)
        if usage is None:
            return ()
        with self._lock:
            before = self._told.get(name, dict.fromkeys(_COUNTED, 0))
            now = {count: getattr(usage, count) for count in _COUNTED}
            self._told[name] = now
        return tuple((count, now[count] - before[count]) for count in _COUNTED)


def _portable(error: Exception) -> StaytrueError:
    """The error as one that can be sent, and that costs as much as it would have cost here."""
    if isinstance(error, ChatbotError):
        return error
    if isinstance(error, StaytrueError):
        return StaytrueError(str(error))
    return ChatbotError(problem_of(error))


class Crew:
    """The workers of a sitting; they start with the first call and end when all is said."""

    def __init__(
        self,
        cluster: Cluster,
        bots: Sequence[str | Chatbot] | Mapping[str, Chatbot],
        makers: Mapping[str, Callable[[], Any]] | None = None,
        *,
        backend: Backend | str | None = None,
        limits: Limits | None = None,
    ) -> None:
        """`bots` are specs, `makers` make other parts of a worker.

        `backend` is what the answers are judged with afterwards.
        """
        specs = [] if isinstance(bots, Mapping) else [bot for bot in bots if isinstance(bot, str)]
        if len(specs) < len(bots) or not (backend is None or isinstance(backend, str)):
            raise UsageError(
                "On Ray each worker creates its own bots and backend: name them by their specs."
            )
        check_installed()
        check_backend(backend)
        self.cluster = cluster
        self.backend = backend
        self._makers = {**{spec: partial(_bot, spec) for spec in specs}, **(makers or {})}
        # As many as the engine holds conversations, each of which makes one call at a time.
        self._calls = 2 * (limits or Limits()).concurrency
        self._workers: list[Any] = []
        self._starting: dict[Any, int] = {}
        """Numbers of workers that Ray has found no room for yet."""
        self._busy: dict[int, int] = {}
        """Numbers of workers that run, and how many calls each has."""
        self._open = False
        self._lock = Lock()

    def bots(self, bots: Mapping[str, Chatbot]) -> dict[str, Chatbot]:
        """The bots under their specs, replying in the workers."""
        return {spec: RemoteBot(spec, bot, self) for spec, bot in bots.items()}

    def call(self, part: str, method: str, *arguments: Any, **options: Any) -> Outcome:
        """Call a method of a part in the worker that has least to do."""
        import ray

        number, worker = self._taken()
        try:
            outcome: Outcome = ray.get(worker.call.remote(part, method, *arguments, **options))
        except ray.exceptions.RayError:
            # Ray has started the worker again, and tried this call again, before.
            return Outcome(error=ChatbotError("the worker process died twice"))
        finally:
            with self._lock:
                if number in self._busy:
                    self._busy[number] -= 1
        return outcome

    def during(self, rows: Iterable[Row]) -> Generator[Row, None, None]:
        """The rows, which calls are made for; after the last one the workers make room."""
        self._open = True
        try:
            yield from rows
        finally:
            self._end()

    def _taken(self) -> tuple[int, Any]:
        import ray

        with self._lock:
            if not self._open:
                raise ChatbotError("the sitting is over")
            if not self._workers:
                self._start()
            if self._starting:
                # Nobody is sent to a worker that a cluster may never have room for.
                running, _ = ray.wait(list(self._starting), timeout=0 if self._busy else None)
                self._busy.update({self._starting.pop(one): 0 for one in running})
            number = min(self._busy, key=self._busy.__getitem__)
            self._busy[number] += 1
            return number, self._workers[number]

    def _start(self) -> None:
        import ray

        options: dict[str, Any] = {
            "num_cpus": self.cluster.cpus, "max_restarts": -1, "max_task_retries": 1,
            "max_concurrency": self._calls,
        }  # fmt: skip
        if self.cluster.memory:
            options["memory"] = int(self.cluster.memory * 2**30)
        kind = ray.remote(**options)(Worker)
        with connected(self.cluster) as most:
            self._workers = [kind.remote(self._makers, version("staytrue")) for _ in range(most)]
        self._starting = {worker.ready.remote(): n for n, worker in enumerate(self._workers)}

    def _end(self) -> None:
        import ray

        with self._lock:
            self._open = False
            for worker in self._workers:
                ray.kill(worker)
            self._workers, self._starting, self._busy = [], {}, {}


class RemoteBot:
    """A bot whose replies are made in workers; what it states and what it has used is here."""

    def __init__(self, spec: str, bot: Chatbot, crew: Crew) -> None:
        self._spec = spec
        self._crew = crew
        # A bot with a timeout is behind a server, which all workers ask, and which makes only so
        # many replies at once; another one is in each worker.
        stated = (*_STATED, "concurrency") if hasattr(bot, "timeout") else _STATED
        for name in stated:
            if hasattr(bot, name):
                setattr(self, name, getattr(bot, name))
        usage = usage_of(bot)
        self.usage = Usage(usage.price_in, usage.price_out) if usage else None

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        """As the bot itself does."""
        outcome = self._crew.call(
            self._spec, "reply", tuple(history), persona=tuple(persona), seed=seed
        )
        if self.usage is not None:
            self.usage.add(**dict(outcome.used))
        text: str = outcome.result()
        return text


def _bot(spec: str) -> Any:
    return once(load_chatbot(spec))
