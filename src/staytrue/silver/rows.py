"""What the methods need to know of an example, and the silver row that they make."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from staytrue.core.records import Example, JsonDict
from staytrue.core.text import words
from staytrue.silver.edits import Edit
from staytrue.silver.pool import Pool

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from staytrue.core.protocols import Chatbot

LABELS = ("entailment", "contradiction", "hallucination", "off-topic", "generic")
TOPIC_TAGS = ("topic", "title", "document", "dialogue")


@dataclass(frozen=True, slots=True)
class Grounded:
    """A grounded response with its parses."""

    example: Example
    topic: str
    """What the talk is about: a tag of the example, or the first name in its knowledge."""
    evidence: Doc
    response: Doc


@dataclass(frozen=True, slots=True)
class Material:
    """All that the methods may draw from."""

    items: Sequence[Grounded]
    pool: Pool
    bot: Chatbot | None = None
    by_topic: dict[str, list[int]] = field(default_factory=dict)
    inconsistent: int = 0
    """Examples left out because people call them inconsistent."""

    def same_topic(self, item: Grounded, rng: random.Random) -> Grounded | None:
        """Another item of the same topic with other evidence; any other where none is tagged."""
        own = item.example.knowledge
        numbers = self.by_topic.get(item.topic, [])
        for _ in range(8):
            number = rng.choice(numbers) if len(numbers) > 1 else rng.randrange(len(self.items))
            other = self.items[number]
            if other.example.knowledge != own:
                return other
        return None


@dataclass(frozen=True, slots=True)
class SilverRow:
    """One made example: a response of known kind, how it was made and from what."""

    evidence: str
    message: str
    response: str
    label: str
    method: str
    original: str
    """The text before the change."""
    changed: str
    """"evidence", "response" or "" (nothing was edited)."""
    edits: tuple[Edit, ...]
    source: str
    """Id of the example that it was made from."""
    topic: str = ""
    styled: bool = False
    """Whether an opener, a tail or a model's lower case was put on top of the edits."""

    def to_json(self) -> JsonDict:
        """The row as written to files; `knowledge` makes it readable as an example again."""
        return {
            "id": f"{self.source}/{self.method}",
            "knowledge": self.evidence,
            "message": self.message,
            "response": self.response,
            "label": self.label,
            "method": self.method,
            "original": self.original,
            "changed": self.changed,
            "edits": [
                {"start": e.start, "end": e.end, "old": e.old, "new": e.new} for e in self.edits
            ],
            "source": self.source,
            "topic": self.topic,
            "styled": self.styled,
        }


def topic_of(example: Example, evidence: Doc) -> str:
    """The example's topic tag, or the first entity or noun of its knowledge."""
    for tag in TOPIC_TAGS:
        if example.tags.get(tag):
            return example.tags[tag].replace("_", " ")
    names = [e.text for e in evidence.ents if e.label_ in ("PERSON", "ORG", "GPE", "WORK_OF_ART")]
    nouns = [c.root.text for c in evidence.noun_chunks if c.root.pos_ in ("NOUN", "PROPN")]
    return next(iter([*names, *nouns]), "")


def same_text(left: str, right: str) -> bool:
    """Whether two texts have the same words in the same order."""
    return words(left) == words(right)
