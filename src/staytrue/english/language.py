"""Whether a text is English, by its most common words."""

from __future__ import annotations

from staytrue.core.text import words
from staytrue.english.words import word_groups

_ENGLISH, _OTHERS = (frozenset(word_groups("languages")[kind]) for kind in ("english", "others"))


def is_foreign(text: str) -> bool | None:
    """Whether the text looks like another language than English; None when it is too short."""
    if not text.isascii():
        letters = [letter for letter in text if letter.isalpha()]
        if 2 * sum(letter > "ɏ" for letter in letters) > len(letters) >= 12:  # beyond Latin
            return True
    tokens = words(text)
    ours, theirs = (sum(word in known for word in tokens) for known in (_ENGLISH, _OTHERS))
    # One such word may be a name: "Los Angeles", "per month".
    return theirs > max(ours, 1) if len(tokens) >= 12 and (ours or theirs) else None
