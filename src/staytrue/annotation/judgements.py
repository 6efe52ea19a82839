"""Judgements that people made in another tool: what they see, and their majority as a label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from staytrue.annotation.blind_names import examples_by_item
from staytrue.core.records import Example
from staytrue.stats.annotators import Coefficient, krippendorff_alpha, majority

QUESTION = "consistent"
"""The question's name, and the example's field that its answer becomes."""
ANSWERS = ("consistent", "inconsistent")


@dataclass(frozen=True, slots=True)
class AnnotatorJudgement:
    """What one annotator said about one response."""

    item: str
    """The example's blind name."""
    annotator: str
    consistent: bool


@dataclass(frozen=True, slots=True)
class JudgedExamples:
    """Examples with the majority of their judgements as `consistent`; a tie leaves it open."""

    examples: list[Example]
    ties: int
    annotators: int
    alpha: Coefficient
    """Krippendorff's α of the annotators."""


def texts(example: Example) -> dict[str, str]:
    """What an annotator reads; nothing of it names the bot, unless the texts do."""
    return {
        "response": example.response,
        "knowledge": example.knowledge,
        "history": "\n".join(f"{turn.speaker}: {turn.text}" for turn in example.history),
        "persona": "\n".join(example.persona),
    }


def judged(
    judgements: Sequence[AnnotatorJudgement], examples: Iterable[Example], keys: Collection[bytes]
) -> JudgedExamples:
    """The examples that were judged, in the order of the source."""
    by_item: dict[str, dict[str, bool]] = defaultdict(dict)
    for one in judgements:
        by_item[one.item][one.annotator] = one.consistent
    annotators = sorted({one.annotator for one in judgements})
    known = examples_by_item(by_item, examples, keys)
    votes = {item: [by_item[item].get(who) for who in annotators] for item in known}
    labelled = [
        replace(example, consistent=majority(votes[item])) for item, example in known.items()
    ]
    return JudgedExamples(
        examples=labelled,
        ties=sum(example.consistent is None for example in labelled),
        annotators=len(annotators),
        alpha=krippendorff_alpha(list(votes.values())),
    )
