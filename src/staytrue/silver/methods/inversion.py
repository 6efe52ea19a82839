"""Subject–object inversion: who did what to whom changes places."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from staytrue.silver.edits import Edit, Edited, capitalised, edit

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_LONGEST = 8
_HEAVY = ("conj", "cc", "relcl", "acl", "advcl", "appos", "punct")
# Verbs that form an idiom with their object, or name a property: turned round, no English.
_FIXED = frozenset("take have make do get give play mark".split())
_SUBJECTS = ("nsubj", "nsubjpass")


def invert(doc: Doc, rng: random.Random) -> Edited | None:
    """Swap subject and object of one clause; None when no clause has two nouns that agree."""
    chunks = frozenset(chunk.root.i for chunk in doc.noun_chunks)
    pairs = [pair for verb in doc if (pair := _pair(verb, chunks)) is not None]
    if not pairs:
        return None
    subject, other = rng.choice(pairs)
    first, second = _moved(other, subject), _moved(subject, other)
    edits = [
        Edit(subject.start_char, subject.end_char, subject.text, first),
        Edit(other.start_char, other.end_char, other.text, second),
    ]
    return edit(doc.text, edits)


def _pair(verb: Token, chunks: frozenset[int]) -> tuple[Span, Span] | None:
    if verb.pos_ not in ("VERB", "AUX"):
        return None
    subjects = [t for t in verb.lefts if t.dep_ in _SUBJECTS]
    objects = [t for t in verb.rights if t.dep_ in ("dobj", "attr")]
    objects += [p for t in verb.rights if t.dep_ == "agent" for p in t.children if p.dep_ == "pobj"]
    if not subjects or not objects:
        return None
    if subjects[-1].i not in chunks or objects[0].i not in chunks:
        return None
    subject, other = _phrase(subjects[-1]), _phrase(objects[0])
    if subject is None or other is None or not _fit(subject.root, other.root, verb):
        return None
    return subject, other


def _phrase(noun: Token) -> Span | None:
    """The noun with all that hangs on it; None when that is long, a list or torn apart."""
    words = list(noun.subtree)
    if (
        words[-1].text.endswith(".")
        or len(words) > _LONGEST
        or any(t.dep_ in _HEAVY for t in words)
    ):
        return None
    if words[-1].i - words[0].i + 1 != len(words):
        return None
    return noun.doc[words[0].i : words[-1].i + 1]


def _fit(subject: Token, other: Token, verb: Token) -> bool:
    """Both are nouns, and the verb agrees with either of them."""
    if "PRON" in (subject.pos_, other.pos_) or verb.lemma_ in _FIXED:
        return False
    # "X is a kind of Y" turned round is often still true, or no sentence.
    if verb.lemma_ == "be" and (other.pos_ != "PROPN" or subject.pos_ != "PROPN"):
        return False
    finite = [verb, *(t for t in verb.children if t.dep_ in ("aux", "auxpass"))]
    shows_number = any(t.tag_ in ("VBZ", "VBP") or t.lower_ in ("was", "were") for t in finite)
    return not shows_number or _plural(subject) == _plural(other)


def _plural(noun: Token) -> bool:
    return noun.tag_ in ("NNS", "NNPS") or any(c.dep_ == "conj" for c in noun.children)


def _moved(chunk: Span, into: Span) -> str:
    """The chunk as it is written in the other's place."""
    text: str = chunk.text
    first = chunk[0]
    if into.start_char == into.sent.start_char:
        return capitalised(text)
    common = first.pos_ == "DET" or (first.pos_ != "PROPN" and first.ent_type_ == "")
    if chunk.start_char == chunk.sent.start_char and common:
        return text[:1].lower() + text[1:]
    return text
