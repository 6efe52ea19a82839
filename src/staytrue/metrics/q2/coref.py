"""Names in place of pronouns: a light resolver for dialogue (Q², appendix A of its first version).

For each third-person pronoun of the response it takes, among the noun phrases said before and the
dialogue's topic, the one that agrees in number, gender and animacy and is nearest and most
prominent. It knows no world facts, does not split a plural ("they" for two names said apart),
does not resolve "this", "that", "there" or noun phrases such as "the band", and cannot tell
a name's gender unless a word beside it does. Where nothing agrees, the pronoun stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from staytrue.core.records import Example
from staytrue.english.parses import Parsed, is_empty_it, noun_chunks, parsed, spelled
from staytrue.english.words import gender_of, name_a_person
from staytrue.metrics.q2.steps import Piece, Resolved, unresolved

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
_TURNS_BACK = 6
# How prominent a mention is that stands here, how much less so it is in the turn before, and with
# each turn that lies between.
_HERE, _SAID_BEFORE, _EACH_TURN = 2.2, 0.6, 0.5
_ARTICLES = frozenset({"a", "an", "the"})
_IN_BRACKETS = re.compile(r"\s*\([^)]*\)")


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
    named: bool = False
    """Whether it is a proper name."""


def resolve(example: Example) -> Resolved:
    """The response with each third-person pronoun replaced by what it stands for, where known."""
    parse, *history = parsed([example.response, *_said_before(example)])
    before = [*_topic_mentions(example.tags.get("topic", "")), *_history_mentions(history)]
    inside = list(_response_mentions(parse))
    return _rewritten(
        parse,
        [
            (token, _with_contraction(token), meant.text)
            for token in parse.doc
            if (meant := _antecedent(token, before, inside)) is not None
        ],
    )


def resolve_dialogue(example: Example) -> Resolved:
    """The response after resolving the dialogue turn by turn (Q², first version, appendix A).

    Every turn is resolved in the light of all resolved turns before it, and each mention of an
    entity, by a pronoun or by a part of its name, becomes the text of its first mention.
    """
    mentions_before: list[list[Mention]] = []
    resolved = unresolved(example)
    for parse in parsed([*(turn.text for turn in example.history), example.response]):
        before = [
            replace(mention, weight=mention.weight - _SAID_BEFORE - _EACH_TURN * age, start=-1)
            for age, mentions in enumerate(reversed(mentions_before))
            for mention in mentions
        ]
        resolved, mentions = _first_mentions(
            parse, before, [m for own in mentions_before for m in own]
        )
        mentions_before.append(mentions)
    return resolved


def _first_mentions(
    parse: Parsed, before: list[Mention], entities: list[Mention]
) -> tuple[Resolved, list[Mention]]:
    """A turn in which entities have their first names, and what it mentions by these names."""
    doc = parse.doc
    inside = list(_response_mentions(parse))
    changes: list[tuple[Token, Token, str]] = []
    mentions: list[Mention] = []
    starts = {chunk.start: chunk for chunk in noun_chunks(doc)}
    for mention in inside:
        known = _entity(mention, [*entities, *mentions])
        mentions.append(replace(mention, text=known))
        chunk = starts[mention.start]
        if known.lower() != mention.text.lower():
            changes.append((chunk[0], chunk[-1], known))
    for token in doc:
        meant = _antecedent(token, before, mentions)
        if meant is not None:
            changes.append((token, _with_contraction(token), meant.text))
            mentions.append(replace(meant, weight=_HERE, start=token.i, verb=_verb_of(token)))
    changes.sort(key=lambda change: change[0].i)
    return _rewritten(parse, changes), mentions


def _entity(mention: Mention, entities: list[Mention]) -> str:
    """The first name of what is mentioned: of those said so far, the first that has its words."""
    if not mention.named:
        return mention.text
    own = set(mention.text.lower().split()) - _ARTICLES
    for earlier in entities:
        if earlier.named and own <= set(earlier.text.lower().split()):
            return earlier.text
    return mention.text


def _rewritten(parse: Parsed, changes: Sequence[tuple[Token, Token, str]]) -> Resolved:
    """The text with these stretches of tokens replaced by these names, in order."""
    original = parse.tidy.original
    pieces: list[Piece] = []
    at = 0
    for token, last, meant in changes:
        name = meant
        start, end = parse.tidy.to_original(token.idx, last.idx + len(last.text))
        if start < at:
            continue  # inside what was replaced
        if last != token and token.lower_ in _PRONOUNS:
            name += f" {spelled(last)}"
        if original.islower():
            name = name.lower()  # one text, one way of writing
        if start > at:
            pieces.append(Piece(original[at:start], at, start, False))
        owns = token.tag_ == "PRP$" and not name.endswith(("'s", "' s"))
        pieces.append(Piece(f"{name}'s" if owns else name, start, end, True))
        at = end
    if at < len(original):
        pieces.append(Piece(original[at:], at, len(original), False))
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
        chunks = list(noun_chunks(parsed([name])[0].doc))
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
        for chunk in noun_chunks(parse.doc):
            if _can_be_meant(chunk):
                weight = _HERE - _SAID_BEFORE - _EACH_TURN * age + _prominence(chunk)
                yield Mention(_name(chunk, parse), _kind(chunk), weight, -1)


def _response_mentions(parse: Parsed) -> Iterator[Mention]:
    for chunk in noun_chunks(parse.doc):
        if _can_be_meant(chunk):
            weight = _HERE + _prominence(chunk)
            verb = _verb_of(chunk.root)
            named = chunk.root.pos_ == "PROPN"
            yield Mention(_name(chunk, parse), _kind(chunk), weight, chunk.start, verb, named)


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


def _antecedent(token: Token, before: list[Mention], inside: list[Mention]) -> Mention | None:
    pronoun = _PRONOUNS.get(token.lower_)
    if pronoun is None or token.pos_ not in ("PRON", "DET") or is_empty_it(token):
        return None
    verb = _verb_of(token)
    earlier = [m for m in inside if m.start < token.i and (m.verb != verb or token.tag_ == "PRP$")]
    fitting = [m for m in (*before, *earlier) if _agrees(pronoun, m.kind)]
    if not fitting:
        return None
    return max(fitting, key=lambda m: (m.weight, m.start))


def _verb_of(token: Token) -> int:
    """The verb that the token's phrase belongs to, or -1."""
    for above in token.ancestors:
        if above.pos_ in ("VERB", "AUX"):
            return int(above.i)
    return -1
