"""`a` or `an`, by how the next word begins to sound."""

from __future__ import annotations

import re

# Words whose first letter does not tell how they begin to sound.
_LIKE_A_VOWEL = re.compile(r"(?:hour|honest|honou?r|heir|8|11\b|18\b)", re.IGNORECASE)
_LIKE_A_CONSONANT = re.compile(r"(?:uni(?!n)|use|usu|uti|eu|ur[ai]|one|once)", re.IGNORECASE)


def article_for(word: str) -> str:
    """ "a" or "an" for the word."""
    if _LIKE_A_VOWEL.match(word):
        return "an"
    vowel = word[:1].lower() in tuple("aeiou")
    return "an" if vowel and not _LIKE_A_CONSONANT.match(word) else "a"


def with_article(noun: str, like: str = "a") -> str:
    """The noun after `a` or `an`; other determiners stay as they are."""
    return f"{article_for(noun) if like in ('a', 'an') else like} {noun}"
