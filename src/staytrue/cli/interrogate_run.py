"""What `staytrue interrogate` does: dialogues held at once, stored, judged and ranked."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from staytrue.cli.interrogate_budget import Budget, BudgetSpent, Key
from staytrue.core.errors import ChatbotError, StaytrueError, UsageError
from staytrue.core.records import Example, Failure, JsonDict, Turn
from staytrue.core.text import one_line
from staytrue.core.usage import usage_of
from staytrue.elicit.aih.dialogues import (
    Dialogue,
    DialogueFile,
    dialogue_id,
    examples_of,
    read_dialogues,
)
from staytrue.elicit.aih.inquirer import Inquirer
from staytrue.elicit.aih.talks import Party, Plan, hold, pairs, requests_of
from staytrue.plugins.registry import NamedMetric, load_chatbot
from staytrue.runs.store import Run, RunWriter

if TYPE_CHECKING:
    from staytrue.core.protocols import Backend

# The paper found 4.57 inquiries in dialogues of 15 turns.
_INQUIRIES_A_TURN = 4.57 / 15
_TOKENS_A_REPLY = 20
RANKING = "ranking.json"
CONTRADICTION = "contradiction"
"""The label that counts."""


def load_parties(specs: Sequence[str]) -> dict[str, Party]:
    """The bots under their specs as typed."""
    return {spec: Party(spec, load_chatbot(spec)) for spec in specs}


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
        if CONTRADICTION not in getattr(metric.metric, "labels", ()):
            raise UsageError(
                f"Metric {metric.name} never calls an answer a contradiction, so it cannot rank "
                "bots: use --metric contradiction."
            )
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
        self._budget = Budget(self.parties, plan, max_requests, max_cost)

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

    def _held(self, todo: Sequence[Key]) -> Iterator[Dialogue | Failure]:
        """Hold dialogues side by side; only a few more than are under way are queued."""
        waiting = deque(todo)
        running: dict[Future[Dialogue], Key] = {}
        # Twice as many dialogues as replies under way: while some wait for their bots, questions
        # are made for the others.
        pool = ThreadPoolExecutor(2 * self._concurrency)
        try:
            while True:
                self._begin(pool, waiting, running)
                if not running:
                    return
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    result = self._result(future, running.pop(future))
                    if result is not None:
                        yield result
        finally:
            self._budget.close()
            pool.shutdown(wait=False, cancel_futures=True)

    def _begin(
        self, pool: ThreadPoolExecutor, waiting: deque[Key], running: dict[Future[Dialogue], Key]
    ) -> None:
        """Begin as many dialogues as may be under way and can be paid to the end."""
        while waiting and not self.stopped and len(running) < 3 * self._concurrency:
            if not self._budget.begin(waiting[0]):
                if not running:
                    self.stopped = self._budget.why_stopped()
                return
            key = waiting.popleft()
            running[pool.submit(self._hold, key)] = key

    def _hold(self, key: Key) -> Dialogue:
        first, second, number = key
        return hold(
            self.parties[first], self.parties[second], number, self.plan, self._inquirer,
            partial(self._reply, key),
        )  # fmt: skip

    def _reply(self, key: Key, party: Party, history: Sequence[Turn], seed: int) -> str:
        self._budget.spend(key, party.name)
        with self._open:
            return party.bot.reply(history, seed=seed)

    def _result(self, future: Future[Dialogue], key: Key) -> Dialogue | Failure | None:
        self._budget.end(key)
        try:
            return future.result()
        except BudgetSpent:
            self.stopped = self._budget.why_stopped()
            return None
        except Exception as error:
            if isinstance(error, StaytrueError) and not isinstance(error, ChatbotError):
                # A missing extra, a damaged model or a wrong key would fail every dialogue alike.
                raise
            # Any code may stand behind a bot: whatever else it raises costs this dialogue only.
            what = one_line(str(error), 300) or type(error).__name__
            return Failure(dialogue_id(*key), f"The dialogue failed: {what}")

    def usage(self) -> dict[str, JsonDict]:
        """What each bot has counted in this sitting; bots that count nothing are left out."""
        counted = {name: usage_of(party.bot) for name, party in self.parties.items()}
        return {
            name: usage.to_json()
            for name, usage in counted.items()
            if usage is not None and usage.requests
        }

    def rank(self, out: Path, *, draws: int, expert: Sequence[str] = ()) -> JsonDict:
        """Rank the bots by the stored verdicts and write RUN/ranking.json."""
        from staytrue.studies.aih.ranking import summary, tally

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
    from staytrue.studies.aih.ranking import Count

    judged = {
        verdict.example_id: verdict.label == CONTRADICTION
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
    each = sum(
        _seconds(party, plan) / min(concurrency, getattr(party.bot, "concurrency", concurrency))
        for party in parties.values()
    ) / len(parties)
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
    """How long one reply takes; each bot is asked twice, as the first time it may load."""
    hello = [Turn("user", plan.opening)]
    try:
        party.bot.reply(hello, seed=plan.seed)
        start = time.monotonic()
        party.bot.reply(hello, seed=plan.seed)
    except StaytrueError:
        raise
    except Exception as error:  # any code may stand behind a bot
        what = one_line(str(error), 200) or type(error).__name__
        raise ChatbotError(
            f"{party.name} fails on '{plan.opening}' ({what}): mend the bot and try again."
        ) from None
    return time.monotonic() - start
