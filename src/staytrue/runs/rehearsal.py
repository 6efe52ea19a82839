"""What a run would ask of a server, counted with plausible answers and without asking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from staytrue.core.errors import UsageError
from staytrue.core.records import Example, Failure, JsonDict
from staytrue.plugins.registry import DEFAULT_BACKEND, load_backend
from staytrue.runs import runner


@dataclass(frozen=True, slots=True)
class ServerUse:
    """About what a server is asked for."""

    requests: int
    tokens_in: int
    tokens_out: int
    cost: float
    """0 where the backend has no prices."""

    def since(self, earlier: ServerUse) -> ServerUse:
        """What came after `earlier`."""
        return ServerUse(
            self.requests - earlier.requests,
            self.tokens_in - earlier.tokens_in,
            self.tokens_out - earlier.tokens_out,
            self.cost - earlier.cost,
        )


@dataclass(frozen=True, slots=True)
class RehearsedRun:
    """What each metric would ask for, and all of them together."""

    rows: int
    by_metric: dict[str, ServerUse]
    """What two metrics ask alike is asked, and counted, once: for the first of them."""
    total: ServerUse


def asks_server(backend: str | None) -> bool:
    """Whether a run with this backend can be rehearsed."""
    return hasattr(load_backend(backend or DEFAULT_BACKEND), "rehearsal")


def rehearse(
    source: Iterable[Example | Failure], metrics: Sequence[str], backend: str | None
) -> RehearsedRun:
    """Judge with plausible answers, and count the requests, tokens and cost of each metric."""
    spec = backend or DEFAULT_BACKEND
    rehearsal = getattr(load_backend(spec), "rehearsal", None)
    if rehearsal is None:
        raise UsageError(f"Backend {spec} calls no server, so --dry-run has nothing to count.")
    silent = rehearsal()
    rows = list(source)
    by_metric = {}
    total = _use(silent.used())
    for name, metric in zip(metrics, runner.load_metrics(metrics, backend=silent), strict=True):
        before = total
        runner.judge_all(rows, [metric], runner.Evaluation({metric.name: metric.signature}))
        total = _use(silent.used())
        by_metric[name] = total.since(before)
    return RehearsedRun(len(rows), by_metric, total)


def _use(used: JsonDict) -> ServerUse:
    return ServerUse(used["requests"], used["tokens_in"], used["tokens_out"], used["cost"])
