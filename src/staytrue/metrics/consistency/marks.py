"""Which words of a claim are wrong: those that its evidence does not have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from staytrue.core.text import content_words
from staytrue.english.lemmas import lemma

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nothing|nobody|neither|nor|without|cannot|\w+n['’]t)\b", re.IGNORECASE
)

Stretch = tuple[int, int]


def wrong_words(claim: str, evidence: Sequence[str], said_before: str) -> list[Stretch]:
    """Stretches of the claim that its evidence does not back; all of it where none stands out.

    Words of the conversation are no news ("the Eiffel Tower" where the evidence says "it").
    """
    known = {lemma(word) for text in (*evidence, said_before) for word in content_words(text)}
    known |= {word for text in (*evidence, said_before) for word in content_words(text)}
    telling = [
        match
        for match in _WORD.finditer(claim)
        if content_words(match.group()) and not _NEGATION.fullmatch(match.group())
    ]
    new = [match.span() for match in telling if not _known(match.group(), known)]
    if new:
        return _joined(claim, new)
    denials = [match.span() for match in _NEGATION.finditer(claim)]
    if denials and not any(_NEGATION.search(line) for line in evidence):
        return denials
    return [_stripped(claim)]


def _known(word: str, known: set[str]) -> bool:
    parts = content_words(word)
    return all(part in known or lemma(part) in known for part in parts)


def _joined(text: str, stretches: Iterable[Stretch]) -> list[Stretch]:
    """Neighbours with nothing but space between them as one stretch."""
    joined: list[Stretch] = []
    for start, end in stretches:
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _stripped(text: str) -> Stretch:
    start = len(text) - len(text.lstrip())
    return start, max(start + 1, len(text.rstrip(" .!?\n\t")))
