"""From an annotator's answers about one sentence to its label (BEGIN, appendices A and B)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, cast, get_args

from staytrue.core.errors import DataError

Kind = Literal["generic", "off-topic", "both", "neither"]
KINDS: tuple[str, ...] = get_args(Kind)

QUESTIONS = {
    "topic": "1. Is this about the same topic as the document? (1 not at all … 5 fully)",
    "kind": "1a. If not (1–3): is it generic, off-topic, both or neither?",
    "cooperative": "2. Would a cooperative speaker say this here? (1 not at all … 5 fully)",
    "personal": "3. Does it describe personal experiences or opinions? (1 not at all … 5 fully)",
    "informs": "3a. If not (1–2): is part of it meant to convey information, true or not? (1 … 5)",
    "contradicts": "3a-i. If so (3–5): does it contradict the document? (1 not at all … 5 fully)",
    "supported": "3a-ii. If so: is all of it supported by the document? (1 not at all … 5 fully)",
}
"""Field → the question, in the order in which they are asked."""


@dataclass(frozen=True, slots=True)
class Answers:
    """One annotator's answers about one sentence; None where a question was not asked."""

    topic: int | None = None
    kind: Kind | None = None
    cooperative: int | None = None
    personal: int | None = None
    informs: int | None = None
    contradicts: int | None = None
    supported: int | None = None

    @property
    def given(self) -> bool:
        """Whether any question was answered."""
        return any(getattr(self, field.name) is not None for field in fields(self))


def label(answers: Answers) -> str | None:
    """The label of the sentence; None when the answers given do not decide it. First match wins:

    1. Question 1a: generic or off-topic as chosen; "both" is generic. (1a counts only where
       question 1 was answered 1–3 or left open.)
    2. Personal (3 or more), or not all supported (3 or less): hallucination.
    3. Contradicts (3 or more): contradiction.
    4. All supported (4 or more): entailment.
    5. Impersonal and not meant to inform (2 or less): hallucination.

    The paper leaves "both" and case 5 open, and calls the question on personal content number 2.
    The labels of the released data decide them as above: its 16 dev responses that are both are
    generic, its 28 on-topic ones that do not inform are hallucinations.
    """
    if answers.kind in ("generic", "both") and _low(answers.topic):
        return "generic"
    if answers.kind == "off-topic" and _low(answers.topic):
        return "off-topic"
    if (answers.personal or 0) >= 3 or (answers.supported is not None and answers.supported <= 3):
        return "hallucination"
    if (answers.contradicts or 0) >= 3:
        return "contradiction"
    if (answers.supported or 0) >= 4:
        return "entailment"
    if answers.informs is not None and answers.informs <= 2:
        return "hallucination"
    return None


def _low(topic: int | None) -> bool:
    return topic is None or topic <= 3


def read_answer(field: str, text: str) -> int | Kind | None:
    """One cell of a sheet; empty is None, anything else must be an answer to that question."""
    value = text.strip().lower()
    if not value:
        return None
    if field == "kind":
        if value in KINDS:
            return cast("Kind", value)
        raise DataError(f"'{text}' is not an answer to question 1a: write {', '.join(KINDS)}.")
    if value in ("1", "2", "3", "4", "5", "1.0", "2.0", "3.0", "4.0", "5.0"):
        return int(float(value))
    raise DataError(
        f"'{text}' is not an answer to the question '{field}': write a number from 1 to 5."
    )
