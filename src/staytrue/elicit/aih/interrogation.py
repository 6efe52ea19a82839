"""AIH's eliciting half: every bot talks with every bot and is asked about what it said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from staytrue.core.errors import UsageError
from staytrue.core.protocols import Chatbot
from staytrue.core.records import Example, Failure, FailureKind, JsonDict, Turn
from staytrue.elicit.aih.crew import RemoteInquirer
from staytrue.elicit.aih.dialogues import (
    Dialogue,
    DialogueFile,
    DialogueKey,
    dialogue_id,
    examples_of,
    read_dialogues,
)
from staytrue.elicit.aih.inquirer import Inquirer
from staytrue.elicit.aih.talks import Party, Plan, hold, pairs, requests_of
from staytrue.elicit.talking import (
    Crew,
    Estimate,
    Limits,
    Listener,
    Need,
    Range,
    Sitting,
    Talking,
    sit,
)
from staytrue.elicit.talking.estimate import estimate, seconds_per_reply
from staytrue.english.parses import pipeline_name
from staytrue.plugins import registry
from staytrue.plugins.registry import NamedMetric
from staytrue.runs.writer import RunWriter

if TYPE_CHECKING:
    from staytrue.core.protocols import Backend

# The paper found 4.57 inquiries in dialogues of 15 turns.
_INQUIRIES_PER_TURN = 4.57 / 15
_TOKENS_PER_TURN = 20
CONTRADICTION = "contradiction"
"""The label that counts."""


def load_bots(bots: Sequence[str] | Mapping[str, Chatbot]) -> dict[str, Chatbot]:
    """The bots under their specs as typed, or under the names given."""
    if not bots:
        raise UsageError("There is no bot to interrogate: name at least one.")
    if isinstance(bots, Mapping):
        return dict(bots)
    if isinstance(bots, str):
        bots = [bots]
    if len(set(bots)) < len(bots):
        raise UsageError("A bot is named twice: name each once, or with different options.")
    return {spec: registry.load_chatbot(spec) for spec in bots}


class Interrogation:
    """One run: which bots, how they talk, and who judges."""

    def __init__(
        self,
        bots: Mapping[str, Chatbot],
        dialogues: int,
        plan: Plan,
        metric: NamedMetric,
        backend: Backend,
        strategies: Sequence[str] = ("entity",),
        limits: Limits | None = None,
        listener: Listener | None = None,
        crew: Crew | None = None,
    ) -> None:
        if CONTRADICTION not in getattr(metric.metric, "labels", ()):
            raise UsageError(
                f"Metric {metric.name} never calls an answer a contradiction, so it cannot rank "
                "bots: use --metric contradiction."
            )
        self.bots = crew.bots(bots) if crew else dict(bots)
        self.dialogues = dialogues
        self.plan = plan
        self.metric = metric
        self._models = backend.models()
        for method in ("spans", "ask"):
            if method not in self._models:
                raise UsageError(f"Inquiries need a backend that can {method}; this one cannot.")
        models: Any = backend
        self._inquirer = (
            RemoteInquirer(models, strategies, crew) if crew
            else Inquirer(models, models, strategies)
        )  # fmt: skip
        self._crew = crew
        what = f"dialogue of {plan.turns} turns"
        self.talking = Talking(self.bots, limits, listener, what=what)
        self.talking.budget.check(needed(plan, ("", "", 0)))

    @property
    def total(self) -> int:
        """Dialogues of the whole run."""
        return len(self.bots) ** 2 * self.dialogues

    @property
    def signature(self) -> str:
        """The metric's signature, and what else decides which inquiries are made."""
        asking = f"|spans:{self._models['spans']}|ask:{self._models['ask']}"
        # Whether an utterance can be asked about is told by its parse, whoever asks.
        english = "" if pipeline_name() in asking else f"|english:{pipeline_name()}"
        return (
            f"{self.metric.signature}{asking}{english}"
            f"|strategy:{self._inquirer.name}|delay:{self.plan.delay}|turns:{self.plan.turns}"
        )

    @property
    def settings(self) -> JsonDict:
        """For the manifest; specs hold no secrets, as keys come from the environment."""
        return {
            "bots": list(self.bots),
            "dialogues": self.dialogues,
            "turns": self.plan.turns,
            "delay": self.plan.delay,
            "strategies": list(self._inquirer.strategies),
        }

    def sit(self, out: Path, *, batch_size: int = 64, retry_errors: bool = False) -> Sitting:
        """Hold and judge what the run folder does not have yet."""
        return sit(
            self.talking, partial(self.elicited, out), [self.metric], out,
            signatures={self.metric.name: self.signature}, settings=self.settings,
            seed=self.plan.seed, batch_size=batch_size, retry_errors=retry_errors,
            crew=self._crew, rows=int(self.total * self.plan.turns * _INQUIRIES_PER_TURN),
        )  # fmt: skip

    def elicited(self, out: Path, writer: RunWriter) -> Iterator[Example | Failure]:
        """Every inquiry of the run: stored dialogues first, then new ones as they finish."""
        file = DialogueFile(out)
        try:
            done = set()
            for dialogue in read_dialogues(out):
                if dialogue.first in self.bots and dialogue.second in self.bots:
                    done.add(dialogue.id)
                    yield from examples_of(dialogue)
            open_keys = [
                key
                for key in pairs(list(self.bots), self.dialogues)
                if dialogue_id(*key) not in done
            ]
            todo = [k for k in open_keys if not writer.has_failure(Failure(dialogue_id(*k), ""))]
            self.talking.expect(
                self.total, done=self.total - len(open_keys), failed=len(open_keys) - len(todo)
            )
            for result in self.talking.hold(todo, self._hold, _lost, partial(needed, self.plan)):
                if isinstance(result, Dialogue):
                    file.add(result)
                    yield from examples_of(result)
                else:
                    yield result
        finally:
            file.close()

    def _hold(self, key: DialogueKey, conversation: int) -> Dialogue:
        first, second, number = key

        def reply(party: Party, history: Sequence[Turn], seed: int) -> str:
            return self.talking.reply(party.name, history, seed=seed, conversation=conversation)

        a, b = (Party(name, self.bots[name]) for name in (first, second))
        return hold(a, b, number, self.plan, self._inquirer, reply)


def _lost(key: DialogueKey, problem: str) -> Failure:
    return Failure(dialogue_id(*key), f"The dialogue failed: {problem}", kind=FailureKind.BOT)


def needed(plan: Plan, key: DialogueKey) -> Need:
    """What one dialogue needs at most: an inquiry after every turn of the second bot."""
    first, second, _ = key
    return Need(((first, plan.turns - 1), (second, 2 * plan.turns)), plan.turns)


def estimated(
    bots: Mapping[str, Chatbot], dialogues: int, plan: Plan, concurrency: int = 8
) -> Estimate:
    """What a run will need, from one reply of each bot."""
    total = len(bots) ** 2 * dialogues
    requests = Range(
        requests_of(total, plan, plan.turns * _INQUIRIES_PER_TURN),
        requests_of(total, plan, plan.turns),
    )
    hello = [Turn("user", plan.opening)]
    seconds = seconds_per_reply(bots, hello, seed=plan.seed, concurrency=concurrency)
    # A reply reads on average half of the longest history.
    return estimate(bots, total, requests, seconds, _TOKENS_PER_TURN * plan.turns)
