"""Say less: drop a clause or phrase that the rest of the sentence does not need."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from staytrue.silver.edits import Edit, Edited, edit

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_DROPPABLE = ("relcl", "advcl", "appos", "acl", "prep", "npadvmod", "advmod")
# In the scope of these words a shorter sentence claims more, not less.
_SCOPE = frozenset(
    "no not n't never none nor neither only all every each most few fewer less least without "
    "if unless first last largest until any".split()
)
_SHORTEST = 4


def drop_clause(doc: Doc, rng: random.Random) -> Edited | None:
    """Leave out one optional clause or phrase, so that what remains still follows."""
    if any(t.lower_ in _SCOPE or t.tag_ in ("JJS", "RBS") for t in doc):
        return None
    candidates = [span for token in doc if (span := _span(token, doc)) is not None]
    if not candidates:
        return None
    start, end = rng.choice(candidates)
    return edit(doc.text, [Edit(start, end, doc.text[start:end], "")])


def _span(token: Token, doc: Doc) -> tuple[int, int] | None:
    """Characters of the token's subtree with the commas or brackets round it."""
    if token.dep_ not in _DROPPABLE or token.head.i >= token.i or token.head == token:
        return None
    if token.dep_ in ("prep", "advmod") and not _ends_sentence(token):
        return None
    if token.dep_ == "prep" and (token.head.pos_ != "VERB" or not _complete(token.head)):
        return None  # "the capital of France" needs its phrase
    subtree = list(token.subtree)
    first, last = subtree[0], subtree[-1]
    if last.i - first.i + 1 != len(subtree) or token.sent.root in subtree:
        return None
    rest = len([t for t in token.sent if t.is_alpha]) - len([t for t in subtree if t.is_alpha])
    if rest < _SHORTEST or len(subtree) < 2:
        return None
    start, end = first.idx, last.idx + len(last)
    before, after = doc.text[:start].rstrip(), doc.text[end:]
    stripped = after.lstrip()
    if before.endswith((",", "(", "–", "-")):
        start = len(before) - 1
        if stripped[:1] in (",", ")", "–"):
            end += len(after) - len(stripped) + 1
    elif token.dep_ in ("relcl", "acl", "appos"):
        return None  # without a comma it says which one is meant
    return start, end


def _ends_sentence(token: Token) -> bool:
    after = token.doc[token.right_edge.i + 1 : token.sent.end]
    return all(t.is_punct for t in after)


def _complete(verb: Token) -> bool:
    """The verb has what it needs without the phrase: an object, or another phrase."""
    children = [c.dep_ for c in verb.children]
    return "dobj" in children or "attr" in children or children.count("prep") > 1
