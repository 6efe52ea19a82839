"""What people are asked about an item, for each of the four papers' ways of judging."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from staytrue.annotation import begin_rule as rule
from staytrue.core.errors import UsageError
from staytrue.core.records import Example, JsonDict, example_to_json
from staytrue.english.words import sentences

Value = str | int | float
Level = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True)
class Choice:
    """One possible answer."""

    value: Value
    label: str


@dataclass(frozen=True)
class TaskQuestion:
    """One question about an item, or about one sentence of it."""

    name: str
    prompt: str
    choices: tuple[Choice, ...]
    level: Level = "nominal"
    when: tuple[str, tuple[Value, ...]] | None = None
    """Asked only if an earlier question was answered with one of these values."""


@dataclass(frozen=True)
class JudgingTask:
    """A way of judging."""

    kind: str
    title: str
    guide: str
    questions: tuple[TaskQuestion, ...]
    by_sentence: bool = False
    needs: Literal["", "probes", "own words"] = ""
    """What every item must have: an answer to a probe, or what the bot said before."""

    def to_json(self) -> JsonDict:
        """The task for the page's script."""
        return asdict(self)


def _likert(low: str, high: str) -> tuple[Choice, ...]:
    labels = (f"1 {low}", "2", "3", "4", f"5 {high}")
    return tuple(Choice(value, label) for value, label in enumerate(labels, 1))


# The sheet's columns spell out the scale; on the page the buttons do.
_SCALE = re.compile(r"\s*\(1[^)]*…[^)]*\)$")


_YES_NO = (Choice("yes", "yes"), Choice("no", "no"))


def _begin_questions() -> tuple[TaskQuestion, ...]:
    """The questions of `staytrue questionnaire`, with the answers that open the next one."""
    opens: dict[str, tuple[str, tuple[Value, ...]]] = {
        "kind": ("topic", (1, 2, 3)),
        "informs": ("personal", (1, 2)),
        "contradicts": ("informs", (3, 4, 5)),
        "supported": ("informs", (3, 4, 5)),
    }
    kinds = tuple(Choice(kind, kind) for kind in rule.KINDS)
    return tuple(
        TaskQuestion(
            name, _SCALE.sub("", prompt),
            kinds if name == "kind" else _likert("not at all", "fully"),
            "nominal" if name == "kind" else "ordinal", opens.get(name),
        )
        for name, prompt in rule.QUESTIONS.items()
    )  # fmt: skip


TASKS = {
    task.kind: task
    for task in (
        JudgingTask(
            "q2", "Consistent with the knowledge?",
            "Skip a response that is unclear or incoherent. Go by the knowledge alone, not by what "
            "you know yourself. A response is inconsistent if it says what the knowledge does not "
            "mention, or changes what the knowledge says, however slightly.",
            (TaskQuestion("consistent", "Is the response consistent with the knowledge?",
                          tuple(Choice(one, one) for one in ("consistent", "inconsistent"))),),
        ),
        JudgingTask(
            "aih", "Does the bot contradict itself?",
            "The bot said something, was asked about it, and answered.",
            needs="own words",
            questions=(
                TaskQuestion("appropriate", "Is the question appropriate?", _YES_NO),
                TaskQuestion("relevant", "Is the answer relevant to the question?", _YES_NO),
                TaskQuestion("contradictory",
                             "Does the answer contradict what the bot said before?", _YES_NO),
            ),
        ),
        JudgingTask(
            "begin", "What kind of response is it?",
            "Rate each sentence of the response on its own, against the document.",
            _begin_questions(),
            by_sentence=True,
        ),
        JudgingTask(
            "consistest", "Is the answer right?",
            "Generic, off-topic or invented answers are 0. Every part of a yes/no answer must "
            "agree with the truth. Half is for an answer that gives only part of it.",
            (TaskQuestion("score", "How right is the answer?",
                          (Choice(0, "0 wrong"), Choice(0.5, "½ partly"), Choice(1, "1 right")),
                          "interval"),),
            needs="probes",
        ),
    )
}  # fmt: skip


def task(kind: str) -> JudgingTask:
    """The task of a kind."""
    if kind not in TASKS:
        raise UsageError(f"There is no task '{kind}'; choose from: {', '.join(TASKS)}.")
    return TASKS[kind]


def payloads(kind: str, examples: Sequence[Example]) -> list[JsonDict]:
    """Each example as an item shows it; human judgements already in it stay hidden."""
    wanted = task(kind)
    if wanted.needs == "probes" and not all(example.probe for example in examples):
        raise UsageError(
            f"“{wanted.title}” is asked about answers to probes: choose a run of  staytrue probe."
        )
    if wanted.needs == "own words" and not all(map(_tells_own_words, examples)):
        raise UsageError(
            f"“{wanted.title}” is asked about answers of a bot to questions about what it said: "
            "choose a run of  staytrue interrogate."
        )
    parts = [
        (sentences(example.response) or [example.response]) if wanted.by_sentence else [""]
        for example in examples
    ]
    # Ids may name the bot, so they stay on the server with the human judgements.
    hidden = ("id", "consistent", "label", "rating", "tags")
    return [
        {"example": {k: v for k, v in example_to_json(example).items() if k not in hidden},
         "parts": mine}
        for example, mine in zip(examples, parts, strict=True)
    ]  # fmt: skip


def _tells_own_words(example: Example) -> bool:
    """Whether what is shown as said by the bot was said by it, and is no other knowledge."""
    if example.probe:
        return True
    own = [turn.text for turn in example.history if turn.speaker == "bot"]
    return example.knowledge in own if example.knowledge else bool(own)


def checked(kind: str, parts: int, answers: Mapping[str, Any]) -> JsonDict:
    """The answers, complete and with nothing that was not asked; else an error that says what."""
    given = answers.get("parts")
    if not isinstance(given, list) or len(given) != parts:
        raise UsageError(f"Answer all {parts} parts of the item.")
    return {"parts": [_checked_part(task(kind), part) for part in given]}


def _checked_part(wanted: JudgingTask, given: Any) -> JsonDict:
    kept: JsonDict = {}
    for question in wanted.questions:
        if question.when and kept.get(question.when[0]) not in question.when[1]:
            continue
        answer = given.get(question.name) if isinstance(given, Mapping) else None
        allowed = [choice.value for choice in question.choices]
        if isinstance(answer, bool) or answer not in allowed:
            raise UsageError(f"Answer this question first: {question.prompt}")
        kept[question.name] = answer
    return kept
