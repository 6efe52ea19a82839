"""A pronoun for the subject, as in a reply about something that was just named."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from staytrue.silver.edits import Edit, Edited, edit

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


def use_pronoun(doc: Doc, rng: random.Random) -> Edited | None:
    """Put he, she, it or they for the subject that opens the text; None when it is a pronoun."""
    for chunk in doc.noun_chunks:
        root = chunk.root
        if chunk.start or root.dep_ not in ("nsubj", "nsubjpass"):
            continue
        if root.pos_ == "PRON" or any(c.i > root.i and c.dep_ != "punct" for c in root.children):
            return None
        if doc.text[chunk.end_char : chunk.end_char + 1] not in (" ", ","):
            return None  # part of a longer word, such as "sub-school"
        new = _pronoun(root, doc, rng)
        return edit(doc.text, [Edit(chunk.start_char, chunk.end_char, chunk.text, new)])
    return None


def _pronoun(noun: Token, doc: Doc, rng: random.Random) -> str:
    if noun.tag_ in ("NNS", "NNPS"):
        return "they"
    if any(token.ent_type_ == "PERSON" for token in noun.subtree):
        used = {token.lower_ for token in doc}
        if used & {"she", "her", "actress", "hers"}:
            return "she"
        return "he" if used & {"he", "his", "him"} else rng.choice(["he", "she"])
    return "it"
