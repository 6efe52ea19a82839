"""Parsed texts, kept for a while: messy chat made readable first, each character traced back.

Chat data is often lower case with spaced punctuation ("i ' m not sure , but it ' s fun ."). A
parser trained on edited text stumbles over it. `tidy` closes the gaps, gives sentences and names
their capitals, and keeps a map back, so that spans found in the tidy text point into the original.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from staytrue.english import pipeline as language
from staytrue.english.word_lists import word_list

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

# Gaps to close: what the groups of each pattern match goes. Runs of space are matched from their
# start only, so that a long one does not take quadratic time.
_GAPS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<=\w)(\s*)['’`](\s*)(?:s|m|re|ve|d|ll|t)\b",  # i ' m, it 's, don ' t
        r"(?<=\d)(\s*['’`]\s*)(?=s\b)",  # the 1980 ' s: the parser knows 1980s
        r"\b[oO](\s*)['’](\s*)(?=clock\b)",
        r"(?<=\w)(\s+)n['’]t\b",  # do n't
        r"(?<!\s)(\s+)[,.!?;:%)\]](?!\w)",
        r"(?<=[(\[$#])(\s+)",
        r"(?<=\d)(\s+),(\s+)(?=\d{3}\b)|(?<=\d)(\s+)[.:](\s+)(?=\d)",  # 5 . 7, 1 , 000
        r"(?<=\w)(\s+)[-–](\s+)(?=\w)",  # catch - up, 2 - 3
    )
)
_QUOTED = re.compile(r"(?<!\S)\"(\s+)(?=\S)[^\"]*?(?<=\S)(\s+)\"(?!\S)")
_DOUBLE_SPACE = re.compile(r"\s(\s+)")
_ALONE_I = re.compile(r"\bi\b(?!\.\w)")
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s+)[\"'(]*([a-z])")
_LOWER_WORD = re.compile(r"\b[a-z]{3,}\b(?!'t)")
_BEFORE_NAME = re.compile(r"\b(?:new|north|south|east|west|saint|st|san|los|las)(?=\.? [A-Z])")
_CONTRACTED = {
    "'re": "are", "'m": "am", "'ve": "have", "'ll": "will", "n't": "not", "ca": "can",
    "wo": "will", "sha": "shall",
}  # fmt: skip
# "it" that stands for nothing: it is hard to say, it rains, it seems that.
_EMPTY_IT = frozenset("seem appear rain snow happen sound look matter".split())
# How the head of a noun phrase depends on other words.
_PHRASE_DEPENDENCIES = frozenset(
    "oprd nsubj dobj nsubjpass pcomp pobj dative appos attr ROOT".split()
)
# Texts whose parses are remembered, as several parts look at the same ones.
KEPT = 1024


@dataclass(frozen=True, slots=True)
class Tidy:
    """A tidied text and, for each of its characters, the place in the original."""

    text: str
    original: str
    origins: tuple[int, ...]

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the original of the stretch [start, end) of the tidy text."""
        if start >= end:
            raise ValueError("An empty stretch has no place in the original.")
        return self.origins[start], self.origins[end - 1] + 1

    def from_original(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the tidy text of the stretch [start, end) of the original."""
        return bisect_left(self.origins, start), bisect_left(self.origins, end)


def tidy(text: str) -> Tidy:
    """Close the gaps of spaced punctuation and restore capitals, with a map back."""
    dropped = _gap_positions(text)
    origins = tuple(i for i in range(len(text)) if i not in dropped)
    closed = "".join(" " if text[i].isspace() else text[i] for i in origins)
    return Tidy(_with_capitals(closed), text, origins)


def _gap_positions(text: str) -> set[int]:
    dropped: set[int] = set()
    for pattern in (*_GAPS, _QUOTED, _DOUBLE_SPACE):
        for match in pattern.finditer(text):
            for group in range(1, (pattern.groups or 0) + 1):
                dropped.update(range(*match.span(group)))  # (-1, -1) when it took no part
    return dropped


def _with_capitals(text: str) -> str:
    """Capitals for sentence starts, "I" and names, only where the writer used none."""
    if any(c.isupper() for c in text.replace("I", "")):
        return _ALONE_I.sub("I", text)
    names = proper_names()
    text = _LOWER_WORD.sub(
        lambda m: m.group().capitalize() if m.group() in names else m.group(), text
    )
    text = _BEFORE_NAME.sub(lambda m: m.group().capitalize(), text)
    text = _ALONE_I.sub("I", text)
    return _SENTENCE_START.sub(lambda m: m.group()[:-1] + m.group()[-1].upper(), text)


def proper_names() -> frozenset[str]:
    """Words that are nearly always written with a capital, in lower case."""
    return word_list("proper_names")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A tidied text and its parse."""

    tidy: Tidy
    doc: Doc


_kept: OrderedDict[str, Parsed] = OrderedDict()
_lock = Lock()


def parsed(texts: Sequence[str]) -> list[Parsed]:
    """Parse each text once; recently parsed ones are remembered."""
    with _lock:
        known = {text: _kept[text] for text in set(texts) if text in _kept}
    fresh = [text for text in dict.fromkeys(texts) if text not in known]
    tidied = [tidy(text) for text in fresh]
    docs = language.parse(t.text for t in tidied)
    known |= {t.original: Parsed(t, doc) for t, doc in zip(tidied, docs, strict=True)}
    with _lock:
        for text in fresh:
            _kept[text] = known[text]
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return [known[text] for text in texts]


def forget() -> None:
    """Forget the parsed texts, for measuring."""
    with _lock:
        _kept.clear()


def spelled(token: Token) -> str:
    """The token as a whole word: contractions are written out."""
    low = token.lower_.replace("’", "'")
    if low in ("'s", "s") and token.pos_ in ("AUX", "VERB"):
        return "has" if _is_perfect(token) else "is"
    if low in ("'d", "d") and token.pos_ in ("AUX", "VERB"):
        return "had" if token.head.tag_ in ("VBN", "VBD") else "would"
    return _CONTRACTED.get(low, token.text)


def _is_perfect(token: Token) -> bool:
    """`'s` before a participle is "has" with "been" or "got", otherwise "is" (it's based on)."""
    following = {child.lower_ for child in token.head.children if child.i > token.i}
    following.add(token.head.lower_)
    return bool(following & {"been", "got", "become", "had"}) and token.dep_ != "ROOT"


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


def is_plural(token: Token) -> bool:
    """Whether the head of a noun phrase takes a plural verb."""
    if any(child.dep_ == "conj" for child in token.children):
        return True
    return token.tag_ in ("NNS", "NNPS") or token.lower_ in ("they", "we", "these", "those", "you")


def noun_chunks(doc: Doc) -> Iterator[Span]:
    """The base noun phrases, as spaCy finds them, but in linear time on long lists.

    A member of a list is a noun phrase if the first member is; spaCy goes back to it for each.
    """
    firsts: dict[int, Token] = {}
    end = 0
    for token in doc:
        if token.pos_ not in ("NOUN", "PROPN", "PRON") or token.left_edge.i < end:
            continue
        first = _first_member(token.head, firsts) if token.dep_ == "conj" else token
        if first.dep_ in _PHRASE_DEPENDENCIES:
            end = token.i + 1
            yield doc[token.left_edge.i : end]


def _first_member(member: Token, firsts: dict[int, Token]) -> Token:
    """The first member of a list, which every other one of it is joined to in a chain."""
    path = []
    while member.i not in firsts and member.dep_ == "conj" and member.head.i < member.i:
        path.append(member.i)
        member = member.head
    first = firsts.get(member.i, member)
    firsts.update(dict.fromkeys(path, first))
    return first
