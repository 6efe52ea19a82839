"""Guard: judge one answer before it is sent, within a deadline.

    guard = staytrue.Guard(threshold=0.5, deadline=1.0)
    ruling = guard.check(answer, knowledge=passages, history=messages)
    if ruling.status == "blocked":
        answer = "I am not sure about that."

An answer that cannot be judged in time is "unjudged", never passed or blocked by accident: what
happens to it is the caller's decision.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Thread
from typing import Literal

from staytrue.core.errors import UsageError, one_line
from staytrue.core.protocols import Backend
from staytrue.core.quotes import locate
from staytrue.core.records import Evidence
from staytrue.integrations.checking import (
    DEFAULT_METRIC,
    Check,
    Checker,
    History,
    Knowledge,
    Texts,
    wrong_words,
)
from staytrue.plugins.registry import share


@dataclass(frozen=True)
class ClaimSupport:
    """A stretch of the response, and how well it is supported."""

    text: str
    start: int | None
    """First character in the response; None where the claim is not worded as it stands there."""
    end: int | None
    score: float | None = None
    label: str | None = None


@dataclass(frozen=True)
class Ruling:
    """What the guard says of one answer."""

    status: Literal["passed", "blocked", "unjudged"]
    score: float | None
    """The lowest score of the metrics that judged it; None where it is unjudged."""
    reason: str
    """One sentence for people."""
    seconds: float
    """How long it took."""
    claims: tuple[ClaimSupport, ...] = ()
    """The claims or sentences of the answer, where the metric tells them apart."""
    strike: tuple[ClaimSupport, ...] = ()
    """The words to strike: those that nothing supports."""

    @property
    def passed(self) -> bool:
        """Whether it was judged, and found true."""
        return self.status == "passed"


@dataclass
class _ThreadedCheck:
    """A check that runs in a thread of its own, which may outlive the deadline."""

    checks: list[Check] = field(default_factory=list)
    error: BaseException | None = None


class Guard:
    """Judges single answers with a deadline; one object serves many threads.

    `workers` answers are judged at once. When all are busy, another waits for its turn as long as
    its deadline allows: a slow judge makes answers unjudged, it does not pile them up.
    """

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        metric: str = DEFAULT_METRIC,
        backend: Backend | str | None = None,
        deadline: float = 2.0,
        workers: int = 2,
        warm: bool = True,
    ) -> None:
        """`deadline` is in seconds; `warm` loads the models now, not with the first answer."""
        self.threshold = share("threshold", threshold)
        if deadline <= 0 or workers < 1:
            raise UsageError("A guard needs a deadline above 0 and at least one worker.")
        self.deadline = deadline
        self._checker = Checker(metric, backend)
        self._free = BoundedSemaphore(workers)
        if warm:
            self._checker.check("It is hot.", knowledge="It is cold.")

    def check(
        self,
        response: str,
        *,
        knowledge: Knowledge = "",
        history: History = (),
        persona: Texts = (),
    ) -> Ruling:
        """Judge the answer, or say within the deadline that it is unjudged."""
        start = time.monotonic()
        if not self._free.acquire(timeout=self.deadline):
            return unjudged("every worker is busy", _since(start))
        job = _ThreadedCheck()

        def run() -> None:
            try:
                job.checks = self._checker.check(
                    response, knowledge=knowledge, history=history, persona=persona
                )
            except BaseException as error:
                job.error = error
            finally:
                self._free.release()

        # A daemon: a server that never answers must not keep the program from ending.
        thread = Thread(target=run, name="staytrue-guard", daemon=True)
        thread.start()
        thread.join(max(0.0, self.deadline - (time.monotonic() - start)))
        if thread.is_alive():
            return unjudged(not_within(self.deadline), _since(start))
        if isinstance(job.error, UsageError):
            raise job.error  # a wrong call, which no answer can get past
        if job.error is not None:
            return unjudged(str(job.error) or type(job.error).__name__, _since(start))
        return ruled(job.checks, self.threshold, _since(start))

    async def acheck(
        self,
        response: str,
        *,
        knowledge: Knowledge = "",
        history: History = (),
        persona: Texts = (),
    ) -> Ruling:
        """The same for code that awaits."""
        return await asyncio.to_thread(
            self.check, response, knowledge=knowledge, history=history, persona=persona
        )


def _since(start: float) -> float:
    return time.monotonic() - start


def not_within(deadline: float) -> str:
    """Why an answer is unjudged whose deadline has passed."""
    return f"not within {deadline:g} seconds"


def unjudged(why: str, seconds: float) -> Ruling:
    """The ruling on an answer that could not be judged."""
    reason = f"The answer was not judged: {one_line(why, 200).rstrip('.')}."
    return Ruling("unjudged", None, reason, seconds)


def ruled(checks: Sequence[Check], threshold: float, seconds: float) -> Ruling:
    """The ruling that follows from the verdicts on one answer."""
    verdicts = [check.verdict for check in checks]
    scored = [(v.score, v.reason) for v in verdicts if v.score is not None]
    if not scored:
        return unjudged(verdicts[0].reason, seconds)
    score, reason = min(scored)
    evidence = [part for verdict in verdicts for part in verdict.evidence]
    blocked = score < threshold
    response = checks[0].example.response
    claims = _claims(evidence, response)
    return Ruling(
        "blocked" if blocked else "passed",
        score,
        reason,
        seconds,
        claims,
        _strike(response, evidence, claims, threshold) if blocked else (),
    )


def _strike(
    response: str, evidence: Sequence[Evidence], claims: Sequence[ClaimSupport], threshold: float
) -> tuple[ClaimSupport, ...]:
    """Single words where the metric marks them, else the claims that fail."""
    words = tuple(ClaimSupport(response[a:b], a, b) for a, b in wrong_words(evidence))
    weak = (
        claim
        for claim in claims
        if claim.start is not None and claim.score is not None and claim.score < threshold
    )
    return words or tuple(weak)


def _claims(evidence: Sequence[Evidence], response: str) -> tuple[ClaimSupport, ...]:
    """Claims if the metric makes any, else the sentences of the response, in its order."""
    claims = [part for part in evidence if part.kind == "claim"]
    sentences = [part for part in evidence if part.kind == "sentence" and part.field == "response"]
    judged = []
    after = 0
    for part in claims or sentences:
        bounds = (part.start, part.end)
        if part.start is None:
            bounds = locate(part.text, response, after) or (None, None)
        after = bounds[1] or after
        judged.append(ClaimSupport(part.text, *bounds, part.score, part.label))
    return tuple(judged)
