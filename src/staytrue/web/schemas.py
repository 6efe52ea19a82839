"""The bodies of the HTTP API: records of `core`, or parts of them, with limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic.dataclasses import dataclass
from pydantic_core import PydanticCustomError

from staytrue.core.errors import DataError
from staytrue.core.records import Example, Probe, Turn
from staytrue.datasets.other_tools import said
from staytrue.integrations.checking import as_example, knowledge_of

_LONG = 100_000
_MANY = 256


# What every database takes as an id or a seed.
_MOST = 2**31 - 1
Id = Annotated[int, Path(ge=1, le=_MOST)]


_STRICT = ConfigDict(extra="forbid", str_max_length=_LONG)


def _has_no_nul(value: Any) -> Any:
    if isinstance(value, str) and "\0" in value:  # PostgreSQL cannot keep it
        raise PydanticCustomError("nul", "remove the NUL character")
    return value


class _Strict(BaseModel):
    model_config = _STRICT
    _no_nul = field_validator("*")(_has_no_nul)


@dataclass(frozen=True, kw_only=True, config=_STRICT)
class TurnIn(Turn):
    """One utterance."""

    speaker: str = Field("user", max_length=80)
    _no_nul = field_validator("*")(_has_no_nul)


@dataclass(frozen=True, kw_only=True, config=_STRICT)
class ProbeIn(Probe):
    """A question about persona or history."""

    kind: Literal["wh", "yn"]
    source: str = Field("", max_length=80)
    _no_nul = field_validator("*")(_has_no_nul)


Knowledge = Annotated[str, Field(max_length=_LONG)] | Annotated[list[str], Field(max_length=_MANY)]
"""One text, or a list of passages."""


def _turn(item: Mapping[str, Any]) -> Any:
    """A message of a chat as a turn, None if nobody says it; anything else as it is."""
    if "content" not in item or set(item) - {"role", "content"}:
        return item
    try:
        turn = said(item)
    except DataError:
        return item
    return {"speaker": turn.speaker, "text": turn.text} if turn else None


class _AnswerIn(_Strict):
    """What requests may fill of the record `Example`, with limits."""

    response: str
    knowledge: Knowledge = ""
    message: str = ""
    """What the user said last; the same as a last turn in `history`."""
    history: list[TurnIn] = Field(default_factory=list, max_length=200)
    """Turns; messages with `role` and `content`, as chat services have them, are taken as well."""
    persona: list[str] = Field(default_factory=list, max_length=100)

    @field_validator("history", mode="before")
    @classmethod
    def _chat(cls, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        turns = (_turn(item) if isinstance(item, Mapping) else item for item in value)
        return [turn for turn in turns if turn is not None]

    def turns(self) -> tuple[Turn, ...]:
        """The history, with the message as its last turn."""
        last = [Turn("user", self.message)] if self.message else []
        return (*(Turn(turn.speaker, turn.text) for turn in self.history), *last)


class ExampleIn(_AnswerIn):
    """A response to judge."""

    id: str = Field("", max_length=500)
    probe: ProbeIn | None = None

    def record(self, number: int) -> Example:
        """The example as the metrics take it."""
        text, passages = knowledge_of(self.knowledge)
        probe = Probe(**asdict(self.probe)) if self.probe else None
        return Example(
            self.id or str(number), self.response, text, self.turns(), tuple(self.persona), probe,
            passages=passages,
        )  # fmt: skip


class ScoreIn(_Strict):
    """Examples to judge; without `metrics`, the server's own choice."""

    examples: list[ExampleIn] = Field(min_length=1, max_length=_MANY)
    metrics: list[Annotated[str, Field(max_length=500)]] | None = Field(
        None, min_length=1, max_length=8
    )


class GuardIn(_AnswerIn):
    """One answer to judge before it is sent; without `metric`, the server's first."""

    threshold: float = Field(0.5, ge=0, le=1)
    deadline: float = Field(2.0, gt=0, le=30)
    """In seconds."""
    metric: str | None = Field(None, max_length=500)

    def record(self) -> Example:
        """The answer with all that it is checked by."""
        return as_example(self.response, self.knowledge, self.turns(), self.persona)


class AccountIn(_Strict):
    """A new account; `token` is the site's password, where there is one."""

    name: str = Field(max_length=80)
    password: str = Field(max_length=200)
    token: str | None = Field(None, max_length=200)


class LoginIn(_Strict):
    """Name and password."""

    name: str = Field(max_length=80)
    password: str = Field(max_length=200)


class QueueIn(_Strict):
    """A new annotation queue over a run."""

    name: str = Field(max_length=120)
    kind: Literal["q2", "aih", "begin", "consistest"]
    run: str = Field(max_length=200)
    annotators: int = Field(1, ge=1, le=50)
    share: float = Field(1.0, ge=0, le=1)
    limit: int = Field(1000, ge=1, le=20_000)
    order: Literal["random", "file"] = "random"
    seed: int = Field(0, ge=-_MOST, le=_MOST)


class JudgementIn(_Strict):
    """Answers to an item, or the reason for skipping it."""

    answers: dict[str, Any] | None = None
    skipped: str | None = Field(None, max_length=2000)
    seconds: float | None = Field(None, ge=0)


class SayIn(_Strict):
    """A message to the bot."""

    text: str = Field(max_length=2000)


class ChatScoreIn(_Strict):
    """The consistency of a chat's bot, and labels of its utterances by position."""

    score: float = Field(ge=0, le=1)
    labels: dict[int, bool] = Field(default_factory=dict)
