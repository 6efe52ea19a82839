"""Adjective antonyms: one or two adjectives become their opposites (WordNet)."""

from __future__ import annotations

import random
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from staytrue.silver.edits import Edited, edit, replace

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

# Words whose opposite makes no claim false, or no grammatical sentence.
_LEFT_ALONE = frozenset("other such own same several various all some much more less able".split())
# After these the opposite is no English: "how few of", "the most wide".
_DEGREE = frozenset("how so as too most more least".split())
_FIXED = {("due", "to"), ("high", "school"), ("secondary", "school"), ("old", "age")}


@lru_cache(maxsize=1)
def antonyms() -> dict[str, str]:
    """Adjective → its antonym."""
    text = files("staytrue.silver.methods").joinpath("antonyms.txt").read_text("utf-8")
    return dict(line.split() for line in text.splitlines() if not line.startswith("#"))


def _in_fixed_phrase(token: Token) -> bool:
    """Part of "due to", "high school" or a word with a hyphen."""
    after = token.doc[token.i + 1].lower_ if token.i + 1 < len(token.doc) else ""
    return (
        (token.lower_, after) in _FIXED
        or after == "-"
        or (token.i > 0 and token.nbor(-1).text == "-")
    )


def oppose_adjectives(doc: Doc, rng: random.Random, most: int = 2) -> Edited | None:
    """Replace one or two adjectives by antonyms; None when none of them has one."""
    table = antonyms()
    present = {token.lower_ for token in doc}
    candidates = [
        token
        for token in doc
        if token.tag_ in ("JJ", "RB")
        and token.pos_ == "ADJ"
        and token.lower_ in table
        and token.lower_ not in _LEFT_ALONE
        and token.ent_type_ in ("", "ORDINAL")
        and (not token.i or token.nbor(-1).lower_ not in _DEGREE)
        and table[token.lower_] not in present  # "left or right" means the same turned round
        and not _in_fixed_phrase(token)
    ]
    if not candidates:
        return None
    chosen = rng.sample(candidates, min(len(candidates), rng.randint(1, most)))
    return edit(doc.text, [replace(t.idx, t.text, table[t.lower_]) for t in chosen])
