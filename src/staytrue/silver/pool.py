"""Entities and verbs of a whole collection, from which replacements are drawn."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from staytrue.english.numbers import in_words

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

# spaCy's verbs that carry no meaning of their own, or take a clause that another cannot.
_LIGHT_VERBS = frozenset(
    "be have do get go say make take come let seem become need want try use mean".split()
)
_DETERMINER = re.compile(r"^(?:the|a|an|this|that|these|those|its|his|her|their|our|my)\s+", re.I)
_TRIES = 12
# Numbers and dates fit in each other's place only if both are written with digits alike, or are
# one plain number word; "dozens", "today" and "the first" build their phrases differently.
_NUMERIC = ("DATE", "CARDINAL", "QUANTITY", "MONEY", "TIME", "PERCENT", "ORDINAL")
_PLAIN_NUMBER = re.compile("|".join(map(in_words, range(2, 13))), re.I)


class Pool:
    """Draw another entity of the same type, or another verb of the same form."""

    def __init__(self) -> None:
        self._entities: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._verbs: dict[str, list[tuple[str, str]]] = defaultdict(list)

    def add(self, doc: Doc, document: str) -> None:
        """Take in a parsed text; `document` names where it is from, such as its topic."""
        for entity in doc.ents:
            start, end = bare_bounds(entity)
            text = doc.text[start:end]
            if text and "\n" not in text and swappable(entity):
                self._entities[entity_kind(entity)].append((document, text))
        for token in doc:
            frame = verb_frame(token)
            if frame is not None:
                self._verbs[frame].append((token.lemma_, token.lower_))

    def entity(self, kind: str, avoid: str, document: str, rng: random.Random) -> str | None:
        """Another entity of this kind from another document that does not occur in `avoid`."""
        known = self._entities.get(kind, [])
        taken = avoid.lower()
        for _ in range(_TRIES if known else 0):
            source, text = rng.choice(known)
            if source != document and text.lower() not in taken:
                return text
        return None

    def verb(self, frame: str, avoid: frozenset[str], rng: random.Random) -> str | None:
        """Another verb in the same form and with the same kind of objects, in lower case."""
        known = self._verbs.get(frame, [])
        for _ in range(_TRIES if known else 0):
            lemma, text = rng.choice(known)
            if lemma not in avoid:
                return text
        return None


def bare_bounds(entity: Span) -> tuple[int, int]:
    """Where the entity starts and ends without a determiner before and a possessive after."""
    text = entity.text
    match = _DETERMINER.match(text)
    start = entity.start_char + (match.end() if match else 0)
    ending = re.search(r"\s*(?:'s|’s|'|’|[,.;])$", text)
    end = entity.end_char - (len(ending.group()) if ending else 0)
    return start, max(start, end)


def swappable(entity: Span) -> bool:
    """Whether another of its kind can stand in its place."""
    start, end = bare_bounds(entity)
    text = entity.doc.text[start:end]
    if text.count("(") != text.count(")") or not any(c.isalnum() for c in text):
        return False
    if entity.label_ not in _NUMERIC:
        return True
    digits = any(c.isdigit() for c in text) and entity.label_ != "ORDINAL"
    return digits or (entity.label_ == "CARDINAL" and _PLAIN_NUMBER.fullmatch(text) is not None)


def entity_kind(entity: Span) -> str:
    """The entity's type, refined so that a replacement fits the same place in a sentence."""
    start, end = bare_bounds(entity)
    label, text = entity.label_, entity.doc.text[start:end]
    if label in _NUMERIC:
        shape = re.sub(r"[A-Za-z]+", "a", re.sub(r"\d", "0", text))
        month = re.match(r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)", text) is not None
        word = _PLAIN_NUMBER.fullmatch(text) is not None
        return f"{label}/{'word' if word else shape[:12]}/{month}"
    if label == "NORP":  # "American", "Americans", "Chinese" fit different places
        return f"{label}/{'s' if text.endswith('s') else text[-2:]}"
    before = entity.doc.text[max(0, start - 5) : start].lower()
    article = re.search(r"\b(?:the|an?)\s+$", before) is not None
    plural = entity.root.tag_ in ("NNS", "NNPS")
    return f"{label}/{'case' if text[:1].isupper() else 'lower'}/{article}/{plural}"


def verb_frame(token: Token) -> str | None:
    """Form and surroundings of a verb that another could take; None for verbs best left alone."""
    if token.pos_ != "VERB" or token.lemma_ in _LIGHT_VERBS or not token.text.isalpha():
        return None
    if token.i and token.doc.text[token.idx - 1] == "-":  # "de-emphasise" is one word
        return None
    children = {child.dep_ for child in token.children}
    if children & {"xcomp", "ccomp", "prt", "dative", "oprd", "acomp"}:
        return None
    if token.dep_ in ("amod", "compound", "aux"):
        return None
    prepositions = sorted(c.lower_ for c in token.children if c.dep_ in ("prep", "agent"))
    first = prepositions[0] if prepositions else ""
    objects = bool(children & {"dobj", "obj"})
    passive = "auxpass" in children or token.dep_ == "acl"
    return f"{token.tag_}/{objects}/{passive}/{first}"
