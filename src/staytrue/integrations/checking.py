"""Check one response as a program has it at hand: strings in, verdicts out.

The knowledge must support the response. What the bot said before and its persona must not be
contradicted: they need not support what it says now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from staytrue.core.errors import DataError, UsageError
from staytrue.core.protocols import Backend
from staytrue.core.records import Evidence, Example, Passage, Turn, Verdict, joined_passages
from staytrue.datasets.other_tools import said
from staytrue.datasets.spans import SPEAKERS
from staytrue.datasets.tabular import passage
from staytrue.plugins.registry import NamedMetric, load_metric, share

DEFAULT_METRIC = "consistency"
# Judges a response against what the bot said of itself.
SELF_METRIC = "contradiction"
# These judge everything in one go, history and persona included.
_WHOLE = frozenset({"consistency", "judge"})
_BOT = "bot"
_WRONG_TURN = (
    "A turn of the history is a text, a (speaker, text) pair, a Turn, or a message with role and "
    "content."
)

History = str | Sequence[Turn | str | tuple[str, str] | Mapping[str, Any]]
"""The dialogue so far: turns, (speaker, text) pairs, messages as chat services have them
(`role` and `content`), or texts that user and bot said in turn."""
Texts = str | Sequence[str]
Knowledge = str | Sequence[str | Mapping[str, Any]]
"""A text, or passages: texts, or mappings with `text` and perhaps `id` and `title`."""


@dataclass(frozen=True)
class Check:
    """What was judged, and the verdict."""

    example: Example
    verdict: Verdict


class Checker:
    """Judges single responses; its models load at the first one."""

    def __init__(self, metric: str = DEFAULT_METRIC, backend: Backend | str | None = None) -> None:
        self._backend = backend
        self.metric = load_metric(metric, backend=backend)
        self._own: NamedMetric | None = None

    def check(
        self,
        response: str,
        *,
        knowledge: Knowledge = "",
        history: History = (),
        persona: Texts = (),
        id: str = "response",
    ) -> list[Check]:
        """One verdict, or two where the metric reads the knowledge alone: one on each side."""
        whole = as_example(response, knowledge, history, persona, id)
        turns, lines, text = whole.history, whole.persona, whole.knowledge
        own = _own_words(whole)
        if self.metric.name.partition(",")[0] in _WHOLE:
            return self._judged(self.metric, whole)
        checks = self._judged(self.metric, whole) if text.strip() else []
        if own:
            # Another id: one run may hold both, and an id stands for one content.
            checks += self._judged(
                self._own_metric(), Example(f"{id} (self)", response, " ".join(own), turns, lines)
            )
        return checks

    def signatures(self) -> dict[str, str]:
        """Metric → signature, of those that judged."""
        used = [self.metric, *([self._own] if self._own else [])]
        return {metric.name: metric.signature for metric in used}

    def _own_metric(self) -> NamedMetric:
        if self._own is None:
            self._own = load_metric(SELF_METRIC, backend=self._backend)
        return self._own

    def _judged(self, metric: NamedMetric, example: Example) -> list[Check]:
        return [Check(example, verdict) for verdict in metric.judge([example])]


class PassMark:
    """What the bridges are made with whose tools ask whether a response passes."""

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        metric: str = DEFAULT_METRIC,
        backend: Backend | str | None = None,
    ) -> None:
        self.threshold = share("threshold", threshold)
        # DeepEval copies a metric by the attributes that are named as the constructor's arguments.
        self.metric, self.backend = metric, backend
        self._checker = Checker(metric, backend)

    def _passes(self, verdict: Verdict) -> bool | None:
        """None for a response that claims nothing."""
        return None if verdict.score is None else verdict.score >= self.threshold


def worst(checks: Sequence[Check]) -> Verdict:
    """The verdict that counts: the lowest score, or why there is none."""
    verdicts = [check.verdict for check in checks]
    scored = [(v.score, n) for n, v in enumerate(verdicts) if v.score is not None]
    return verdicts[min(scored)[1] if scored else 0]


def as_example(
    response: str, knowledge: Knowledge, history: History, persona: Texts, id: str = "response"
) -> Example:
    """The response with everything that it is checked by; something there must be.

    None is nothing to check by, as what a retriever gives may be.
    """
    if not isinstance(response, str):
        raise UsageError(f"The response must be text, not {type(response).__name__}.")
    turns = as_turns(history or ())
    lines = _lines(persona or ())
    text, passages = knowledge_of(knowledge or "")
    example = Example(id, response, text, turns, lines, passages=passages)
    if not text.strip() and not _own_words(example):
        raise UsageError(
            "There is nothing to check the response against: give knowledge, a persona, or a "
            "history with turns of the bot."
        )
    return example


def _lines(persona: Texts) -> tuple[str, ...]:
    if isinstance(persona, str):
        return (persona,)
    if not isinstance(persona, Iterable) or not all(isinstance(t, str) for t in persona):
        raise UsageError("The persona must be a text or a list of texts.")
    return tuple(persona)


def collected(
    id: str, question: str, response: str, passages: Iterable[tuple[str, str, str]]
) -> Example:
    """What another tool answered: the question, and id, title and text of what was retrieved."""
    knowledge, places = joined_passages(passages)
    history = (Turn("user", question),) if question else ()
    return Example(id, response, knowledge, history, passages=places)


def _own_words(example: Example) -> list[str]:
    """What the bot said of itself: its persona and its turns."""
    return [*example.persona, *(turn.text for turn in example.history if turn.speaker == _BOT)]


def as_turns(history: History) -> tuple[Turn, ...]:
    """The history as turns; plain texts alternate, and the last one is the user's."""
    if not isinstance(history, Iterable):
        raise UsageError(_WRONG_TURN)
    items: list[Any] = [history] if isinstance(history, str) else list(history)
    turns = []
    for index, item in enumerate(items):
        if isinstance(item, Turn):
            turns.append(item)
        elif isinstance(item, str):
            if item:
                speaker = "user" if (len(items) - index) % 2 else _BOT
                turns.append(Turn(speaker, item))
        elif isinstance(item, Mapping):
            turns += [turn] if (turn := _message(item)) else []
        elif isinstance(item, Sequence) and len(item) == 2:
            turns.append(Turn(str(item[0]), str(item[1])))
        else:
            raise UsageError(_WRONG_TURN)
    return tuple(Turn(SPEAKERS.get(turn.speaker, turn.speaker), turn.text) for turn in turns)


def _message(item: Mapping[str, Any]) -> Turn | None:
    try:
        return said(item)
    except DataError:
        raise UsageError(_WRONG_TURN) from None


def knowledge_of(knowledge: Knowledge) -> tuple[str, tuple[Passage, ...]]:
    """The knowledge as one text, and where the passages of a list stand in it."""
    if isinstance(knowledge, str):
        return knowledge, ()
    if not isinstance(knowledge, Sequence) or not all(
        isinstance(t, str | Mapping) for t in knowledge
    ):
        raise UsageError(
            'The knowledge must be a text or a list of passages: texts, or {"id": …, "text": …}.'
        )
    try:
        return joined_passages(map(passage, knowledge))
    except DataError as error:
        raise UsageError(str(error)) from None


def wrong_words(evidence: Iterable[Evidence]) -> list[tuple[int, int]]:
    """Where the response has words that are not supported, in order and without overlap."""
    places = sorted(
        (part.start, part.end)
        for part in evidence
        if part.kind == "span" and part.field == "response"
        if part.start is not None and part.end is not None
    )
    merged: list[tuple[int, int]] = []
    for start, end in places:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
