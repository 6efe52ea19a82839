"""Names in place of pronouns: a light resolver for dialogue (Q², appendix A of its first version).

For each third-person pronoun of the response it takes, among the noun phrases said before and the
dialogue's topic, the one that agrees in number, gender and animacy and is nearest and most
prominent. It knows no world facts, does not split a plural ("they" for two names said apart),
does not resolve "this", "that", "there" or noun phrases such as "the band", and cannot tell
a name's gender unless a word beside it does. Where nothing agrees, the pronoun stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from staytrue.core.records import Example
from staytrue.english.contractions import spelled
from staytrue.english.parses import Parsed, parsed
from staytrue.english.people import gender_of, name_a_person

if TYPE_CHECKING:
    from spacy.tokens import Span as Stretch
    from spacy.tokens import Token

_PRONOUNS = {
    "he": "male", "him": "male", "his": "male",
    "she": "female", "her": "female", "hers": "female",
    "it": "thing", "its": "thing",
    "they": "plural", "them": "plural", "their": "plural",
}  # fmt: skip
_PLURAL_TAGS = ("NNS", "NNPS")
_GROUPS = ("ORG", "NORP")
# "it" that stands for nothing: it is hard to say, it rains, it seems that.
_EMPTY_IT = frozenset("seem appear rain snow happen sound look matter".split())
_TURNS_BACK = 6
_IN_BRACKETS = re.compile(r"\s*\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the resolved text and the stretch of the response that it stands for."""

    text: str
    start: int
    end: int
    replaced: bool


@dataclass(frozen=True, slots=True)
class Resolved:
    """A response with names for pronouns, and the way back to the response as given."""

    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The resolved text."""
        return "".join(piece.text for piece in self.pieces)

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the response; a name put for a pronoun maps to that pronoun."""
        at, first, last = 0, None, 0
        for piece in self.pieces:
            here, at = at, at + len(piece.text)
            if at <= start or here >= end:
                continue
            low = piece.start if piece.replaced else piece.start + max(0, start - here)
            high = piece.end if piece.replaced else piece.start + min(end, at) - here
            first = low if first is None else first
            last = high
        return (first or 0, last)


@dataclass(frozen=True, slots=True)
class Mention:
    """A noun phrase that a pronoun may stand for."""

    text: str
    kind: str
    """"male", "female", "person", "group", "thing", "plural", or "name" of we do not know what."""
    weight: float
    """How near and prominent it is."""
    start: int
    """Where it begins in the response; -1 if it was said before."""
    verb: int = -1
    """The verb that it belongs to in the response; -1 if it was said before."""


def unresolved(example: Example) -> Resolved:
    """The response as it stands."""
    return Resolved((Piece(example.response, 0, len(example.response), False),))


def resolve(example: Example) -> Resolved:
    """The response with each third-person pronoun replaced by what it stands for, where known."""
    parse, *history = parsed([example.response, *_said_before(example)])
    before = [*_topic_mentions(example.tags.get("topic", "")), *_history_mentions(history)]
    pieces: list[Piece] = []
    at = 0
    inside = list(_response_mentions(parse))
    for token in parse.doc:
        name = _antecedent(token, before, inside)
        if name is None:
            continue
        last = _with_contraction(token)
        start, end = parse.tidy.to_original(token.idx, last.idx + len(last.text))
        if last != token:
            name += f" {spelled(last)}"
        if example.response.islower():
            name = name.lower()  # one text, one way of writing
        if start > at:
            pieces.append(Piece(example.response[at:start], at, start, False))
        owns = token.tag_ == "PRP$" and not name.endswith(("'s", "' s"))
        pieces.append(Piece(f"{name}'s" if owns else name, start, end, True))
        at = end
    if at < len(example.response):
        pieces.append(Piece(example.response[at:], at, len(example.response), False))
    return Resolved(tuple(pieces))


def _with_contraction(token: Token) -> Token:
    """The pronoun's own contraction ("it's"), which a name does not take; else the pronoun."""
    if token.tag_ != "PRP$" and not token.whitespace_ and token.i + 1 < len(token.doc):
        following = token.nbor(1)
        if following.pos_ in ("AUX", "VERB") and following.text[0] in "'’":
            return following
    return token


def _said_before(example: Example) -> list[str]:
    """The last turns, newest first."""
    return [turn.text for turn in reversed(example.history[-_TURNS_BACK:])]


def _topic_mentions(topic: str) -> Iterator[Mention]:
    """The topic may be anything; a name may be a person's or a band's, a noun may be a kind."""
    name = _IN_BRACKETS.sub("", topic).strip()
    if name:
        chunks = list(parsed([name])[0].doc.noun_chunks)
        kind = _kind(chunks[-1]) if chunks else "thing"
        yield Mention(name, kind, 2.4, -1)
        others = {
            "person": ("thing", "plural"),
            "thing": ("person", "plural"),
            "name": ("plural",),
        }.get(kind, ())
        for other in others:
            yield Mention(name, other, 1.9, -1)


def _history_mentions(history: list[Parsed]) -> Iterator[Mention]:
    for age, parse in enumerate(history):
        for chunk in parse.doc.noun_chunks:
            if _can_be_meant(chunk):
                weight = 1.6 - 0.5 * age + _prominence(chunk)
                yield Mention(_name(chunk, parse), _kind(chunk), weight, -1)


def _response_mentions(parse: Parsed) -> Iterator[Mention]:
    for chunk in parse.doc.noun_chunks:
        if _can_be_meant(chunk):
            weight = 2.2 + _prominence(chunk)
            verb = _verb_of(chunk.root)
            yield Mention(_name(chunk, parse), _kind(chunk), weight, chunk.start, verb)


def _can_be_meant(chunk: Stretch) -> bool:
    root = chunk.root
    if root.pos_ not in ("NOUN", "PROPN") or root.ent_type_ in ("DATE", "TIME", "CARDINAL"):
        return False
    # "a lot", "a fan of", "my favorite": said of something, not a thing to speak on about.
    predicate = root.dep_ == "attr" and root.pos_ == "NOUN"
    return not predicate and root.lower_ not in (
        "lot",
        "fan",
        "kind",
        "sort",
        "thing",
        "time",
        "fact",
    )


def _prominence(chunk: Stretch) -> float:
    subject = 0.6 if chunk.root.dep_ in ("nsubj", "nsubjpass") else 0.0
    return subject + (0.5 if chunk.root.pos_ == "PROPN" else 0.0)


def _name(chunk: Stretch, parse: Parsed) -> str:
    """The phrase as it was written, an indefinite article made definite."""
    start, end = parse.tidy.to_original(chunk.start_char, chunk.end_char)
    text = parse.tidy.original[start:end].strip(" '\"")
    first, _, rest = text.partition(" ")
    return f"the {rest}" if first.lower() in ("a", "an") and rest else text


def _kind(chunk: Stretch) -> str:
    root = chunk.root
    words = {token.lower_ for token in chunk} | {root.lemma_.lower()}
    if root.tag_ in _PLURAL_TAGS or any(child.dep_ == "conj" for child in root.children):
        return "plural"
    gender = gender_of(words)
    if gender is not None:
        return gender
    if root.ent_type_ == "PERSON" or name_a_person(words):
        return "person"
    if root.ent_type_ in _GROUPS:
        return "group"
    return "name" if root.pos_ == "PROPN" and not root.ent_type_ else "thing"


def _agrees(pronoun: str, kind: str) -> bool:
    if pronoun in ("male", "female"):
        return kind in (pronoun, "person", "name")
    if pronoun == "thing":
        return kind in ("thing", "group", "name")
    return kind in ("plural", "group")


def _antecedent(token: Token, before: list[Mention], inside: list[Mention]) -> str | None:
    pronoun = _PRONOUNS.get(token.lower_)
    if pronoun is None or token.pos_ not in ("PRON", "DET") or is_empty_it(token):
        return None
    verb = _verb_of(token)
    earlier = [m for m in inside if m.start < token.i and (m.verb != verb or token.tag_ == "PRP$")]
    fitting = [m for m in (*before, *earlier) if _agrees(pronoun, m.kind)]
    if not fitting:
        return None
    return max(fitting, key=lambda m: (m.weight, m.start)).text


def is_empty_it(token: Token) -> bool:
    """Whether the token is an "it" that stands for nothing: it is hard to say."""
    if token.lower_ != "it":
        return False
    verb = token.head
    if verb.lemma_ in _EMPTY_IT:
        return True
    clause = any(c.dep_ in ("ccomp", "xcomp", "advcl") and c.i > verb.i for c in verb.children)
    complement = next((c for c in verb.children if c.dep_ == "acomp"), None)
    inner = complement is not None and any(
        c.dep_ in ("xcomp", "ccomp", "prep") and c.i > complement.i and c.lower_ != "for"
        for c in complement.children
        if c.dep_ != "prep"
    )
    return verb.lemma_ == "be" and complement is not None and (clause or inner)


def _verb_of(token: Token) -> int:
    """The verb that the token's phrase belongs to, or -1."""
    for above in token.ancestors:
        if above.pos_ in ("VERB", "AUX"):
            return int(above.i)
    return -1
