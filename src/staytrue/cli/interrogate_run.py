"""What `staytrue interrogate` does: dialogues held at once, stored, judged and ranked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from staytrue.dialogues import Dialogue, DialogueFile, dialogue_id, examples_of, read_dialogues
from staytrue.elicit.aih import Party, Plan, hold, pairs, requests_of
from staytrue.elicit.aih_inquirer import Inquirer
from staytrue.errors import UsageError
from staytrue.records import Example, Failure, JsonDict, Turn
from staytrue.registry import NamedMetric, load_chatbot
from staytrue.store import Run, RunWriter
from staytrue.text import one_line

if TYPE_CHECKING:
    from staytrue.protocols import Backend

# The paper found 4.57 inquiries in dialogues of 15 turns.
_INQUIRIES_A_TURN = 4.57 / 15
_TOKENS_A_REPLY = 20
RANKING = "ranking.json"


def load_parties(specs: Sequence[str]) -> dict[str, Party]:
    """The bots under their specs as typed."""
    return {spec: Party(spec, load_chatbot(spec)) for spec in specs}


class BudgetSpent(Exception):
    """The limit on requests or cost is reached; the dialogue under way is given up."""


@dataclass
class Budget:
    """Counts replies and cost over all threads."""

    parties: Mapping[str, Party]
    max_requests: int | None = None
    max_cost: float | None = None
    replies: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def spend(self) -> None:
        """Count one reply, or refuse it."""
        with self._lock:
            if self.spent():
                raise BudgetSpent
            self.replies += 1

    def spent(self) -> str:
        """Why nothing more may be asked; empty while it may."""
        if self.max_requests is not None and self.replies >= self.max_requests:
            return f"Stopped after {self.replies:,} requests, as --max-requests says."
        if self.max_cost is not None and self.cost >= self.max_cost:
            return f"Stopped at a cost of {self.cost:.2f}, as --max-cost says."
        return ""

    @property
    def cost(self) -> float:
        """What the bots that state prices have cost so far."""
        usages = (getattr(party.bot, "usage", None) for party in self.parties.values())
        return float(sum(usage.cost for usage in usages if usage is not None))


class Interrogation:
    """One run: which bots, how they talk, and who judges."""

    def __init__(
        self,
        parties: Mapping[str, Party],
        dialogues: int,
        plan: Plan,
        metric: NamedMetric,
        backend: Backend,
        strategies: Sequence[str] = ("entity",),
        concurrency: int = 8,
        max_requests: int | None = None,
        max_cost: float | None = None,
    ) -> None:
        self.parties = dict(parties)
        self.dialogues = dialogues
        self.plan = plan
        self.metric = metric
        self.stopped = ""
        self._models = backend.models()
        for method in ("spans", "ask"):
            if method not in self._models:
                raise UsageError(f"Inquiries need a backend that can {method}; this one cannot.")
        models: Any = backend
        self._inquirer = Inquirer(models, models, strategies)
        self._concurrency = concurrency
        self._open = threading.BoundedSemaphore(concurrency)
        self._budget = Budget(self.parties, max_requests, max_cost)

    @property
    def total(self) -> int:
        """Dialogues of the whole run."""
        return len(self.parties) ** 2 * self.dialogues

    @property
    def signature(self) -> str:
        """The metric's signature, and what else decides which inquiries are made."""
        asked = "+".join(self._inquirer.strategies)
        return (
            f"{self.metric.signature}|spans:{self._models['spans']}|ask:{self._models['ask']}"
            f"|strategy:{asked}|delay:{self.plan.delay}|turns:{self.plan.turns}"
        )

    @property
    def settings(self) -> JsonDict:
        """For the manifest; specs hold no secrets, as keys come from the environment."""
        return {
            "bots": list(self.parties),
            "dialogues": self.dialogues,
            "turns": self.plan.turns,
            "delay": self.plan.delay,
            "strategies": list(self._inquirer.strategies),
        }

    def elicited(
        self, out: Path, writer: RunWriter, advance: Callable[[int], None]
    ) -> Iterator[Example | Failure]:
        """Every inquiry of the run: stored dialogues first, then new ones as they finish."""
        file = DialogueFile(out)
        try:
            done = set()
            for dialogue in read_dialogues(out):
                done.add(dialogue.id)
                if dialogue.first in self.parties and dialogue.second in self.parties:
                    yield from examples_of(dialogue)
            todo = [
                key
                for key in pairs(list(self.parties), self.dialogues)
                if dialogue_id(*key) not in done
                and not writer.has_failure(Failure(dialogue_id(*key), ""))
            ]
            advance(self.total - len(todo))
            for result in self._held(todo):
                if isinstance(result, Dialogue):
                    file.add(result)
                    yield from examples_of(result)
                else:
                    yield result
                advance(1)
        finally:
            file.close()

    def _held(self, todo: Sequence[tuple[str, str, int]]) -> Iterator[Dialogue | Failure]:
        """Hold dialogues side by side; only a few more than are under way are queued."""
        waiting = iter(todo)
        running: dict[Future[Dialogue], tuple[str, str, int]] = {}
        # Twice as many dialogues as replies under way: while some wait for their bots, questions
        # are made for the others.
        pool = ThreadPoolExecutor(2 * self._concurrency)
        try:
            while True:
                while len(running) < 3 * self._concurrency and not self.stopped:
                    key = next(waiting, None)
                    if key is None:
                        break
                    running[pool.submit(self._hold, key)] = key
                if not running:
                    return
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    result = self._result(future, running.pop(future))
                    if result is not None:
                        yield result
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _hold(self, key: tuple[str, str, int]) -> Dialogue:
        first, second, number = key
        return hold(
            self.parties[first], self.parties[second], number, self.plan, self._inquirer,
            self._reply,
        )  # fmt: skip

    def _reply(self, party: Party, history: Sequence[Turn], seed: int) -> str:
        self._budget.spend()
        with self._open:
            return party.bot.reply(history, seed=seed)

    def _result(
        self, future: Future[Dialogue], key: tuple[str, str, int]
    ) -> Dialogue | Failure | None:
        try:
            return future.result()
        except BudgetSpent:
            self.stopped = self._budget.spent()
            return None
        except Exception as error:
            # Any code may stand behind a bot: whatever it raises costs this dialogue only.
            what = one_line(str(error), 300) or type(error).__name__
            return Failure(dialogue_id(*key), f"The dialogue failed: {what}")

    def rank(self, out: Path, *, draws: int, expert: Sequence[str] = ()) -> JsonDict:
        """Rank the bots by the stored verdicts and write RUN/ranking.json."""
        from staytrue.agree.ranking import summary, tally

        table = tally(counts(out, self.metric.name), list(self.parties))
        found = summary(table, expert=expert or None, draws=draws, seed=self.plan.seed)
        ranking = {
            "bots": found.pop("bots"),
            "matrix": found.pop("matrix"),
            "signature": self.signature,
            "failed_dialogues": self._failed(out),
            **found,
        }
        text = json.dumps(ranking, indent=2, ensure_ascii=False, allow_nan=False)
        aside = out / f"{RANKING}.writing"
        aside.write_text(text + "\n", encoding="utf-8")
        aside.replace(out / RANKING)
        return ranking

    def _failed(self, out: Path) -> int:
        return sum(" > " in failure.where and not failure.metric for failure in Run(out).failures())


def counts(out: Path, metric: str) -> Iterator[Any]:
    """Inquiries and contradictions of each stored dialogue; an unjudged inquiry does not count."""
    from staytrue.agree.ranking import Count

    judged = {
        verdict.example_id: verdict.label == "contradiction"
        for verdict in Run(out).verdicts()
        if verdict.metric == metric and verdict.score is not None
    }
    # In order of pair and number: dialogues are stored as they finish, and that is chance.
    held = sorted(read_dialogues(out), key=lambda d: (d.first, d.second, d.number))
    for dialogue in held:
        labels = [judged[e.id] for e in examples_of(dialogue) if e.id in judged]
        yield Count(dialogue.first, dialogue.second, len(labels), sum(labels))


def estimate(
    parties: Mapping[str, Party], dialogues: int, plan: Plan, concurrency: int
) -> dict[str, tuple[float, float]]:
    """What a run will need, expected and at most, reckoned from one reply of each bot."""
    each = sum(_seconds(party, plan) for party in parties.values()) / len(parties) / concurrency
    total = len(parties) ** 2 * dialogues
    expected = requests_of(total, plan, plan.turns * _INQUIRIES_A_TURN)
    most = requests_of(total, plan, plan.turns)
    # A reply reads on average half of the longest history, and writes one turn.
    tokens = _TOKENS_A_REPLY * (plan.turns + 1)
    return {
        "dialogues": (total, total),
        "requests": (expected, most),
        "tokens": (expected * tokens, most * tokens),
        "seconds of waiting for the bots": (expected * each, most * each),
    }


def _seconds(party: Party, plan: Plan) -> float:
    """How long one reply takes; a local bot is asked twice, as the first time it may load."""
    hello = [Turn("user", plan.opening)]
    if not hasattr(party.bot, "usage"):
        party.bot.reply(hello, seed=plan.seed)
    start = time.monotonic()
    party.bot.reply(hello, seed=plan.seed)
    return time.monotonic() - start
