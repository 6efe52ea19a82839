"""Which questions are sound by their own parse: one clause that asks for one thing."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from staytrue.english.words import is_person

if TYPE_CHECKING:
    from spacy.tokens import Token

    from staytrue.english.parses import Parsed

FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_MARKS = frozenset("!?;:()[]…*/")
# The parser seldom knows that these only comment on what is said.
_CHAT = frozenset("lol btw lmao haha omg thanks pls".split())
_LOOSE = frozenset({"intj", "appos", "parataxis", "dep"})
_SEEMING = frozenset("be seem look sound".split())


def is_sound(parse: Parsed) -> bool:
    """Whether a question is one clause that asks for one thing."""
    tokens = [token for token in parse.doc if not token.is_punct]
    if any(token.text in _MARKS or token.is_quote for token in parse.doc[:-1]):
        return False
    if any(one.lower_ == two.lower_ for one, two in pairwise(tokens)):
        return False
    if any(t.tag_ == "UH" or t.dep_ in _LOOSE or t.lower_ in _CHAT for t in tokens):
        return False
    if tokens[-1].tag_ in ("WP", "WDT", "WRB", "PRP$", "DT", "CC", "MD", "POS"):
        return False
    if tokens[-1].pos_ == "AUX":
        return False
    if any(token.lower_ in ("one", "ones") and token.dep_ != "nummod" for token in tokens):
        return False
    if sum(_is_main_finite(token) for token in tokens) != 1:
        return False
    if any(_is_complete(token) for token in tokens if token.dep_ == "relcl"):
        return False
    return not _asks_for_a_quality(parse)


def _is_main_finite(token: Token) -> bool:
    """Finite verbs of relative and "what you earn" clauses belong to a noun phrase."""
    if token.tag_ not in FINITE:
        return False
    verb = token.head if token.dep_ in ("aux", "auxpass") else token
    return verb.dep_ not in ("relcl", "pcomp")


def _is_complete(clause: Token) -> bool:
    """ "a new car your fav is Toyota": a clause that lacks nothing is not about the noun before."""
    parts = {child.dep_ for child in clause.children}
    joined = any(child.tag_ in ("WDT", "WP", "WRB", "IN") for child in clause.children)
    return not joined and "nsubj" in parts and bool(parts & {"dobj", "attr", "acomp"})


def _asks_for_a_quality(parse: Parsed) -> bool:
    """ "who is awesome?" and "who is a man?" have as many answers as there are people."""
    low = [token.lower_ for token in parse.doc if not token.is_punct]
    if low[0] == "who" and low[2] in ("a", "an") and len(low) == 4:
        return True
    if low[0] == "what" and low[2] == "your" and len(low) == 4 and is_person(low[3]):
        return True  # "what is your wife?"
    asked = [token.pos_ for token in parse.doc if not token.is_punct]
    told = [tag for tag in asked[2:] if tag not in ("ADV", "ADJ")]
    return parse.doc[1].lemma_ in _SEEMING and not told and "ADJ" in asked
