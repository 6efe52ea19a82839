"""`staytrue.interrogate`: let chatbots talk, ask them about what they said, and rank them (AIH)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from staytrue.core.errors import UsageError
from staytrue.core.protocols import Backend, Chatbot
from staytrue.core.records import Failure, FailureKind, Verdict
from staytrue.core.text import counted
from staytrue.elicit.aih.crew import crew_for
from staytrue.elicit.aih.dialogues import Dialogue, examples_of, read_dialogues
from staytrue.elicit.aih.interrogation import CONTRADICTION, Interrogation, load_bots
from staytrue.elicit.aih.talks import Plan
from staytrue.elicit.talking import Limits, Listener, Sitting
from staytrue.english.wording import statements
from staytrue.plugins import registry
from staytrue.runs.engines.cluster import Cluster
from staytrue.runs.folder import Run
from staytrue.studies.aih import ranking
from staytrue.studies.aih.ranking import Count
from staytrue.studies.aih.records import Ranking, write_ranking


@dataclass(frozen=True)
class InterrogationResult:
    """What `interrogate` returns; printing it shows the ranking."""

    ranking: Ranking
    dialogues: tuple[Dialogue, ...]
    """Every talk with its inquiries, in the order of pairs and numbers."""
    verdicts: tuple[Verdict, ...]
    failures: tuple[Failure, ...]
    """Dialogues that were lost because a bot did not reply, and what else went wrong."""
    usage: Mapping[str, Mapping[str, float]]
    """Requests, retries, tokens and cost of each bot that counts them."""
    stopped: str
    """Why a limit ended the talking early; empty if none did."""
    folder: Path | None = None
    """The run folder, if `out` named one."""

    @property
    def inquiries(self) -> int:
        """Inquiries in all dialogues."""
        return sum(len(dialogue.inquiries) for dialogue in self.dialogues)

    def __str__(self) -> str:
        lines = [
            f"{counted(self.inquiries, 'inquiry', 'inquiries')} in "
            f"{counted(len(self.dialogues), 'dialogue')}"
        ]
        if self.failures:
            lines[0] += f", {counted(len(self.failures), 'error')}"
        lines.append(str(self.ranking))
        if self.stopped:
            lines.append(self.stopped)
        return "\n".join(lines)


def interrogate(
    bots: Sequence[str] | Mapping[str, Chatbot],
    *,
    dialogues: int = 200,
    turns: int = 15,
    delay: int = 0,
    strategies: Sequence[str] = ("entity",),
    metric: str = CONTRADICTION,
    backend: Backend | str | None = None,
    out: str | Path | None = None,
    seed: int = 0,
    expert: Sequence[str] = (),
    draws: int = ranking.DRAWS,
    batch_size: int = 64,
    retry_errors: bool = False,
    limits: Limits | None = None,
    listener: Listener | None = None,
    cluster: Cluster | None = None,
) -> InterrogationResult:
    """Let every bot talk with every bot, ask the second about what it said, and rank the bots.

    `bots` are specs such as "persona:seed=1,slip=0.2", or objects with a `reply` method under
    names of your own. With `out`, dialogues and verdicts go into a run folder: the same call
    resumes it, and more bots or dialogues may be added. `expert` is a ranking to compare with,
    best first. `limits` bounds concurrency, retries, requests and cost. With `cluster`, workers on
    Ray reply, ask and judge; bots and backend are then named by specs, and `limits` are over all.
    """
    loaded = load_bots(bots)
    if expert and sorted(expert) != sorted(loaded):
        raise UsageError("--expert must name every --bot once, exactly as typed, best first.")
    models = registry.load_backend(backend or registry.DEFAULT_BACKEND)
    judge = registry.load_metric(metric, backend=models, seed=seed)
    plan = Plan(turns, delay, seed)
    crew = crew_for(cluster, bots, backend, strategies, limits) if cluster else None
    work = Interrogation(
        loaded, dialogues, plan, judge, models, strategies, limits, listener, crew
    )  # fmt: skip
    if out is not None:
        folder = Path(out)
        sitting = work.sit(folder, batch_size=batch_size, retry_errors=retry_errors)
        result = replace(_result(work, sitting, expert, draws), folder=folder)
        write_ranking(folder, result.ranking)
        return result
    with tempfile.TemporaryDirectory(prefix="staytrue-") as temporary:
        sitting = work.sit(Path(temporary), batch_size=batch_size)
        return _result(work, sitting, expert, draws)


def _result(
    work: Interrogation, sitting: Sitting, expert: Sequence[str], draws: int
) -> InterrogationResult:
    run = Run(sitting.folder)
    # In order of pair and number: dialogues are stored as they finish, and that is chance.
    in_order = sorted(read_dialogues(run.folder), key=lambda d: (d.first, d.second, d.number))
    dialogues, verdicts, failures = tuple(in_order), tuple(run.verdicts()), tuple(run.failures())
    table = ranking.tally(counts(dialogues, verdicts, work.metric.name), list(work.bots))
    order = ranking.rank(table, expert=expert or None, draws=draws, seed=work.plan.seed)
    lost = sum(failure.kind is FailureKind.BOT for failure in failures)
    return InterrogationResult(
        replace(order, signature=work.signature, failed_dialogues=lost),
        dialogues, verdicts, failures, sitting.usage, sitting.stopped,
    )  # fmt: skip


def counts(
    dialogues: Iterable[Dialogue], verdicts: Iterable[Verdict], metric: str
) -> Iterator[Count]:
    """Inquiries and contradictions of each dialogue; an unjudged inquiry does not count."""
    contradicts = {
        verdict.example_id: verdict.label == CONTRADICTION
        for verdict in verdicts
        if verdict.metric == metric and verdict.score is not None
    }
    for dialogue in dialogues:
        judged = [contradicts[e.id] for e in examples_of(dialogue) if e.id in contradicts]
        replies = dialogue.texts[1::2]
        stated = sum(len(statements(text)) for text in replies)
        yield Count(dialogue.first, dialogue.second, len(judged), sum(judged), len(replies), stated)
