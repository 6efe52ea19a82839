"""The frozen records that flow through the product, their JSON form, and signatures of scores.

Every part meets the others only here and in `protocols`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from dataclasses import field as field_  # `Evidence` has a field of that name
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

JsonDict = dict[str, Any]
# How version 0.1.0 marked the place of an example that came back with other content.
_CHANGED_IN_0_1 = " (changed)"


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance of a dialogue."""

    speaker: str
    """Who said it: "user", "bot", or any other name."""
    text: str
    """What was said."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A question put to an agent about its persona or history (ConsisTest)."""

    question: str
    """The question as asked."""
    truth: str
    """The short right answer; alternatives are separated by `|`."""
    fact: str
    """The self-contained statement that the truth comes from."""
    kind: str
    """"wh" or "yn"."""
    source: str = ""
    """"persona", "history" or "history_extracted"."""
    turn: int | None = None
    """Index of the agent's turn that holds the fact."""
    distance: int | None = None
    """Turns between the fact and the question."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One of several texts that make up the knowledge, as a retriever gave them."""

    start: int
    """First character of the passage in the knowledge."""
    end: int
    """One past its last character."""
    id: str = ""
    """What answers cite it by, if anything."""
    title: str = ""
    """Its heading, if it has one."""


@dataclass(frozen=True, slots=True)
class Example:
    """One response to judge, with all that it may be judged against."""

    id: str
    """Unique in a run; made from the content when the input has none."""
    response: str
    """What the chatbot said."""
    knowledge: str = ""
    """The text that the response should be true to; several passages are joined by lines."""
    history: tuple[Turn, ...] = ()
    """The dialogue before the response, oldest turn first."""
    persona: tuple[str, ...] = ()
    """Sentences that describe the chatbot."""
    probe: Probe | None = None
    """The question that the response answers, if it was elicited by one."""
    consistent: bool | None = None
    """Human judgement as yes/no."""
    label: str | None = None
    """Human judgement as a class."""
    rating: float | None = None
    """Human judgement as a number."""
    tags: Mapping[str, str] = field_(default_factory=dict)
    """Anything else worth grouping by."""
    passages: tuple[Passage, ...] = ()
    """Where each passage stands in the knowledge, if it came as a list."""

    if TYPE_CHECKING:  # knowledge is text once it is here, but may come as passages

        def __init__(
            self,
            id: str,
            response: str,
            knowledge: str | Sequence[str] = "",
            history: tuple[Turn, ...] = (),
            persona: tuple[str, ...] = (),
            probe: Probe | None = None,
            consistent: bool | None = None,
            label: str | None = None,
            rating: float | None = None,
            tags: Mapping[str, str] = ...,
            passages: tuple[Passage, ...] = (),
        ) -> None: ...

    def __post_init__(self) -> None:
        if isinstance(self.knowledge, Sequence) and not isinstance(self.knowledge, (str, bytes)):
            knowledge, passages = joined_passages(("", "", str(one)) for one in self.knowledge)
            object.__setattr__(self, "knowledge", knowledge)
            object.__setattr__(self, "passages", passages)

    @property
    def message(self) -> str:
        """The last turn before the response, or an empty string."""
        return self.history[-1].text if self.history else ""


class _Name(str, Enum):
    """A name from a fixed list that reads and writes as plain text (StrEnum needs Python 3.11)."""

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, format_spec: str) -> str:
        return format(str(self), format_spec)


CITATION_PARTS = ("citation precision", "citation recall")
"""The texts of the two pieces of evidence that say how well a response cites."""


class EvidenceKind(_Name):
    """What a piece of evidence is."""

    QUESTION = "question"
    """A question about the response, with the answers to it."""
    DROPPED = "dropped"
    """Something that was looked at and does not count."""
    SENTENCE = "sentence"
    """A sentence of the response or the knowledge, with what was found about it."""
    CLAIM = "claim"
    """A claim of the response, with how far it is supported."""
    SILENT = "silent"
    """A sentence that claims nothing, such as a greeting."""
    SPAN = "span"
    """A stretch of the response."""
    PROBABILITIES = "probabilities"
    """What a model gave each class."""
    RULE = "rule"
    """A rule that decided."""
    PART = "part"
    """The verdict of another metric that this one rests on."""
    WORDS = "words"
    """Words that two texts share or lack."""
    N_GRAMS = "n-grams"
    """Precision per length of word sequences."""
    SIMILARITY = "similarity"
    """How close two texts are as vectors."""


class FailureKind(_Name):
    """What went wrong."""

    ROW = "row"
    """A row of the input could not be read."""
    METRIC = "metric"
    """A metric failed on an example."""
    BOT = "bot"
    """A chatbot did not reply, so that a dialogue or question is missing."""
    CHANGED = "changed"
    """An example came back under the same id with other content."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason behind a verdict, shown to people as it stands."""

    kind: EvidenceKind
    """What it is."""
    text: str = ""
    """The sentence, question or rule itself."""
    field: str = ""
    """The field of the example that the offsets point into, such as "response"."""
    start: int | None = None
    """First character of the span in that field."""
    end: int | None = None
    """One past the last character of the span."""
    score: float | None = None
    """The part's own score in [0, 1], if it has one."""
    label: str | None = None
    """The part's own label, if it has one."""
    details: Mapping[str, Any] = field_(default_factory=dict)
    """Everything else, as plain JSON values: answers, probabilities, sources."""

    def __post_init__(self) -> None:
        # Plug-ins and stored rows may say it as text.
        object.__setattr__(self, "kind", EvidenceKind(self.kind))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one metric says of one example."""

    example_id: str
    """The example's id."""
    metric: str = ""
    """The metric as asked for, options included: whoever loads a metric by name fills it in."""
    score: float | None = None
    """In [0, 1], 1 is consistent; None means it abstained, and `reason` says why."""
    label: str | None = None
    """The class, for metrics that classify."""
    reason: str = ""
    """One sentence for people."""
    evidence: tuple[Evidence, ...] = ()
    """What the score rests on."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that went wrong with one row, example or dialogue, kept instead of dropped."""

    where: str
    """File and line, example id or dialogue."""
    error: str
    """One sentence."""
    metric: str = ""
    """The metric that failed, if one did."""
    kind: FailureKind = FailureKind.ROW
    """What went wrong."""


def field_names(record: type) -> tuple[str, ...]:
    """The names of a record's fields: whoever reads or writes the record takes them from here."""
    return tuple(field.name for field in fields(record))


def _lean(record: Any) -> JsonDict:
    """The record's fields as a dict, without those that still have their default."""
    defaults = _defaults(record.__class__)
    values = {name: getattr(record, name) for name in record.__dataclass_fields__}
    return {k: v for k, v in values.items() if k not in defaults or v != defaults[k]}


@lru_cache(maxsize=8)
def _defaults(record: type) -> JsonDict:
    made = {f.name: f.default_factory() for f in fields(record) if f.default_factory is not MISSING}
    return made | {f.name: f.default for f in fields(record) if f.default is not MISSING}


def example_to_json(example: Example) -> JsonDict:
    """The example as a plain row, the same shape that files are read from."""
    row = _lean(example)
    if example.history:
        row["history"] = [{"speaker": t.speaker, "text": t.text} for t in example.history]
    if example.persona:
        row["persona"] = list(example.persona)
    if example.probe:
        row["probe"] = _lean(example.probe)
    if example.tags:
        row["tags"] = dict(example.tags)
    if example.passages:
        row["passages"] = [_lean(passage) for passage in example.passages]
    return row


def made_id(example: Example) -> str:
    """The id of an example that came without one.

    Two chatbots' responses to one context get one id, so that `compare` can pair them: neither the
    response nor people's judgements count, where there is anything else.
    """
    context = Example(
        "", "", example.knowledge, example.history, example.persona, example.probe
    )  # fmt: skip
    return content_id(example if context == Example("", "") else context)


def content_id(example: Example) -> str:
    """An id made from everything that the example holds."""
    content = json.dumps(example_to_json(example), sort_keys=True)
    return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()


def example_from_json(row: Mapping[str, Any]) -> Example:
    """The inverse of `example_to_json`; rows from users go through `datasets.tabular` instead."""
    values = dict(row)
    values["history"] = tuple(Turn(**turn) for turn in values.get("history", ()))
    values["persona"] = tuple(values.get("persona", ()))
    if values.get("probe"):
        values["probe"] = Probe(**values["probe"])
    values["passages"] = tuple(Passage(**passage) for passage in values.get("passages", ()))
    return Example(**values)


def joined_passages(
    passages: Iterable[tuple[str, str, str]],
) -> tuple[str, tuple[Passage, ...]]:
    """The knowledge that passages of (id, title, text) make, and where each stands in it."""
    texts: list[str] = []
    places: list[Passage] = []
    start = 0
    for id_, title, text in passages:
        texts.append(text)
        places.append(Passage(start, start + len(text), id_, title))
        start += len(text) + 1
    return "\n".join(texts), tuple(places)


def verdict_to_json(verdict: Verdict) -> JsonDict:
    """The verdict as one line of `verdicts.jsonl`; all six keys are always there."""
    return {
        "example_id": verdict.example_id,
        "metric": verdict.metric,
        "score": verdict.score,
        "label": verdict.label,
        "reason": verdict.reason,
        "evidence": [_evidence_to_json(e) for e in verdict.evidence],
    }


def _evidence_to_json(evidence: Evidence) -> JsonDict:
    row = _lean(evidence)
    if "details" in row:
        row["details"] = dict(row["details"])
    return row


def verdict_from_json(row: Mapping[str, Any]) -> Verdict:
    """The inverse of `verdict_to_json`; a row that lacks metric or score is no verdict."""
    values = {**row, "metric": row["metric"], "score": row["score"]}
    values["evidence"] = tuple(Evidence(**e) for e in values.get("evidence", ()))
    return Verdict(**values)


def failure_to_json(failure: Failure) -> JsonDict:
    """The failure as one line of `errors.jsonl`."""
    return {
        "where": failure.where, "error": failure.error, "metric": failure.metric,
        "kind": str(failure.kind),
    }  # fmt: skip


def failure_from_json(row: Mapping[str, Any]) -> Failure:
    """The inverse of `failure_to_json`; version 0.1.0 wrote no kind, but a mark after the place."""
    where, metric = row["where"], row["metric"]
    if "kind" in row:
        return Failure(where, row["error"], metric, FailureKind(row["kind"]))
    if where.endswith(_CHANGED_IN_0_1):
        where = where.removesuffix(_CHANGED_IN_0_1)
        return Failure(where, row["error"], metric, FailureKind.CHANGED)
    return Failure(where, row["error"], metric, FailureKind.METRIC if metric else FailureKind.ROW)


def write_signature(name: str, parts: Mapping[str, object]) -> str:
    """What makes two scores comparable: name, version, models, options and seed, in one line.

    Example: `q2|staytrue:0.2.0|backend:embedded|answer:staytrue-reading@9c1d|nli:off|top:5`.
    Parts keep their order, and separators are made safe.
    """
    return "|".join([_plain(name), *(f"{_plain(k)}:{_plain(v)}" for k, v in parts.items())])


def _plain(value: object) -> str:
    return str(value).replace("|", "/").replace("\n", " ")


def read_signature(signature: str) -> dict[str, str]:
    """The parts of a signature, the name under "metric"."""
    name, *parts = signature.split("|")
    named = (part.partition(":") for part in parts)
    return {"metric": name, **{key: value for key, _, value in named}}


def signature_differences(left: str, right: str) -> list[str]:
    """Say in what two signatures differ, one phrase each; empty when they are equal."""
    a, b = read_signature(left), read_signature(right)
    keys: Iterable[str] = [*a, *(key for key in b if key not in a)]
    return [
        f"{key} is {a.get(key, 'absent')} in one and {b.get(key, 'absent')} in the other"
        for key in keys
        if a.get(key) != b.get(key)
    ]
