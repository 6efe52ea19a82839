"""Informative spans of a text from spaCy: named entities, then noun chunks (Q², step 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from staytrue.core.protocols import Span
from staytrue.english.parses import Parsed, is_empty_it, noun_chunks, parsed, proper_names

if TYPE_CHECKING:
    from spacy.tokens import Span as Stretch

# Questions about the speaker's bare "I" say nothing about the knowledge.
_NEVER = frozenset({"i"})
# "which", "who", "that" stand for another span; nothing can be asked about them.
_RELATIVE = frozenset({"WDT", "WP", "WP$"})


class SpacySpans:
    """Find the spans worth asking about; offsets point into the text as given."""

    @property
    def name(self) -> str:
        """What stands behind the spans, for signatures."""
        from staytrue.english.pipeline import pipeline_name

        return f"spans-1+{pipeline_name()}"

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        """Entities first, then noun chunks whose text is not there yet, each in text order."""
        return [list(_distinct(parse)) for parse in parsed(texts)]


def _distinct(parse: Parsed) -> Iterator[Span]:
    seen = set(_NEVER)
    for kind, stretch in _candidates(parse):
        trimmed = _trim(stretch)
        if trimmed is None:
            continue
        start, end = parse.tidy.to_original(trimmed.start_char, trimmed.end_char)
        text = parse.tidy.original[start:end]
        key = trimmed.text.lower()
        if key not in seen:
            seen.add(key)
            label = stretch.label_ if kind == "entity" else ""
            yield Span(text, start, end, kind, label)


def _candidates(parse: Parsed) -> Iterator[tuple[str, Stretch]]:
    for entity in parse.doc.ents:
        yield "entity", _whole_name(entity)
    for chunk in noun_chunks(parse.doc):
        if chunk.root.tag_ not in _RELATIVE and not is_empty_it(chunk.root):
            yield "chunk", chunk


def _whole_name(entity: Stretch) -> Stretch:
    """ "rodney mullen", where only "rodney" was recognised: the name goes on to its head."""
    head = entity.root.head
    known = entity.label_ == "PERSON" and entity[0].lower_ in proper_names()
    if not known or entity.root.dep_ != "compound" or head.i < entity.end:
        return entity
    from spacy.tokens import Span as Longer

    return Longer(entity.doc, entity.start, head.i + 1, label=entity.label_)


def _trim(stretch: Stretch) -> Stretch | None:
    """The stretch without punctuation and white space at its edges; None if nothing is left."""
    start, end = stretch.start, stretch.end
    doc = stretch.doc
    while start < end and not _is_word(doc[start].text):
        start += 1
    while end > start and not _is_word(doc[end - 1].text):
        end -= 1
    return doc[start:end] if start < end else None


def _is_word(text: str) -> bool:
    return any(c.isalnum() for c in text) or text in ("$", "€", "£", "%", "#")
