"""Contractions written out as whole words, by what the parse says they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Token

_CONTRACTED = {
    "'re": "are", "'m": "am", "'ve": "have", "'ll": "will", "n't": "not", "ca": "can",
    "wo": "will", "sha": "shall",
}  # fmt: skip


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
