"""A sentence of several statements, or one that lists things or actions, told one by one.

"The price includes lunch and parking" is half true where parking costs extra. Said as two
statements, each is right or wrong, and the wrong one can be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from staytrue.english.parses import Parsed, is_behind

if TYPE_CHECKING:
    from spacy.tokens import Token

# A list that any other word joins is no sum of its members ("tea or coffee").
_JOINING = frozenset({"and", "plus", "&"})
# What joins statements with subjects of their own: "You can pay by card, but refunds take a week."
_BETWEEN_STATEMENTS = _JOINING | {"but", "yet", "while", "whereas"}
_LEAST_WORDS = 3
# With these the members say something only together: "a mix of A and B", "between A and B".
_TOGETHER = frozenset(
    "both together respectively either neither mix mixture combination blend pair combined total "
    "altogether between among amongst than versus".split()
)
_THINGS = ("NOUN", "PROPN", "NUM")
_ACTIONS = ("VERB", "AUX")
_OBJECTS = ("dobj", "attr", "pobj", "oprd")
_SUBJECTS = ("nsubj", "nsubjpass", "expl", "csubj", "csubjpass")
_FINITE = ("VBZ", "VBP", "VBD")
_HELPERS = ("aux", "auxpass")
_OPENING, _CLOSING = "(\"'“", ")\"'”%°"


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a list as a statement of its own, with its place in the whole."""

    text: str
    start: int
    end: int


def members(parse: Parsed) -> list[Member]:
    """One statement for each member of the first list that can be taken apart, or none."""
    if any(token.lower_ in _TOGETHER for token in parse.doc):
        return []
    for token in parse.doc:
        listed = _listed(token)
        if len(listed) < 2:
            continue
        if token.dep_ == "ROOT" and token.pos_ in _ACTIONS:
            told = list(_actions(parse, listed))
        elif token.dep_ in _OBJECTS and all(one.pos_ in _THINGS for one in listed):
            told = list(_things(parse, listed))
        else:
            continue
        if told:
            return told
    return []


def statements(parse: Parsed) -> list[Member]:
    """The statements of a sentence that have a subject each, or none where it is only one."""
    heads = [token for token in parse.doc if token.dep_ == "ROOT"]
    if len(heads) != 1 or _has_condition(heads[0]):
        return []
    listed = _listed(heads[0], _BETWEEN_STATEMENTS)
    firsts = [one for one in listed if _has_subject(one)]
    parts = _own(firsts)
    if len(firsts) < 2 or firsts[0] != heads[0] or any(t.pos_ not in _ACTIONS for t in firsts):
        return []
    if any(len([t for t in part if not t.is_punct]) < _LEAST_WORDS for part in parts):
        return []
    return [_member(parse, part, "") for part in parts]


def _has_subject(token: Token) -> bool:
    return any(child.dep_ in _SUBJECTS for child in token.children)


def _has_condition(token: Token) -> bool:
    """Whether what comes first may go for all: "If it rains, the pool closes and I leave." """
    return any(child.dep_ == "advcl" and child.i < token.i for child in token.children)


def _listed(first: Token, joining: frozenset[str] = _JOINING) -> list[Token]:
    """The heads of the members in text order, if this is the first one."""
    if first.dep_ == "conj":
        return []
    listed = [first]
    for one in listed:  # grows meanwhile: members hang on one another
        listed += [c for c in one.children if c.i > one.i and _continues(c)]
    joined = {c.lower_ for one in listed for c in one.children if c.dep_ == "cc"}
    return sorted(listed, key=lambda one: one.i) if joined and joined <= joining else []


def _continues(token: Token) -> bool:
    """Whether a list goes on here; its second member is often taken for a name of the first."""
    if token.dep_ == "conj":
        return True
    listed = any(child.dep_ == "conj" for child in token.children)
    return token.dep_ == "appos" and listed and is_behind(token, ",")


def _own(listed: Sequence[Token]) -> list[list[Token]]:
    """The words of each member; empty where they do not stand in a row."""
    by_member = []
    for head in listed:
        others = {t.i for later in listed if later.i > head.i for t in later.subtree}
        own = [t for t in head.subtree if t.i not in others]
        while own and (own[-1].dep_ == "cc" or _is_mark(own[-1], _CLOSING)):
            own.pop()
        while own and (own[0].dep_ == "cc" or _is_mark(own[0], _OPENING)):
            own.pop(0)
        by_member.append(own)
    in_a_row = all(own and own[-1].i - own[0].i + 1 == len(own) for own in by_member)
    in_order = in_a_row and all(left[-1].i < right[0].i for left, right in pairwise(by_member))
    return by_member if in_order else []


def _is_mark(token: Token, but: str) -> bool:
    return bool(token.is_punct) and token.text not in but


def _things(parse: Parsed, listed: Sequence[Token]) -> Iterator[Member]:
    """ "The rate includes breakfast and parking": things that end the main clause."""
    above = listed[0].head
    governor = above.head if above.dep_ == "prep" else above
    parts = _own(listed)
    if governor.dep_ != "ROOT" or above.lower_ == "of" or not parts:
        return
    doc = parse.doc
    if any(not token.is_punct for token in doc[parts[-1][-1].i + 1 :]):
        return
    shared = doc[: parts[0][0].i].text_with_ws
    for part in parts:
        yield _member(parse, part, shared)


def _actions(parse: Parsed, listed: Sequence[Token]) -> Iterator[Member]:
    """ "It charges via USB-C and comes in two colours": actions of one subject."""
    first, *others = listed
    subjects = [child for child in first.children if child.dep_ in _SUBJECTS]
    parts = _own(listed)
    own = any(map(_has_subject, others))
    if len(subjects) != 1 or subjects[0].i > first.i or own or not parts:
        return
    if any(one.pos_ not in _ACTIONS for one in others):
        return
    # "They own and operate stores": what follows the last verb goes for the others, too.
    bare = [part[-1] == head for head, part in zip(listed, parts, strict=True)]
    if any(bare) and not bare[-1]:
        return
    end = subjects[0].right_edge.i + 1
    helpers = [c for c in first.children if c.dep_ in (*_HELPERS, "neg") and end <= c.i < first.i]
    if any(helper.dep_ == "neg" for helper in helpers):
        return  # whether "not" goes for all of them cannot be told
    doc = parse.doc
    yield _member(parse, list(doc[first.left_edge.i : parts[0][-1].i + 1]), "")
    subject = doc[first.left_edge.i : end].text
    for head, part in zip(others, parts[1:], strict=True):
        helped = any(child.dep_ in _HELPERS for child in head.children)
        alone = helped or head.tag_ in _FINITE
        before = [] if alone else [helper.text for helper in helpers]
        yield _member(parse, part, " ".join([subject, *before, ""]))


def _member(parse: Parsed, part: Sequence[Token], shared: str) -> Member:
    start, end = part[0].idx, part[-1].idx + len(part[-1])
    text = shared + parse.doc.text[start:end]
    return Member(f"{text.rstrip('.')}.", *parse.tidy.to_original(start, end))
