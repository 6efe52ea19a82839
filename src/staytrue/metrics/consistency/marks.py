"""Which words of a claim are wrong: those that its evidence does not have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from staytrue.english.stop_words import content_words
from staytrue.english.words import lemma

# With what belongs to a value: "17:00", "$5", "30%".
_WORD = re.compile(r"[$€£]?[^\W_]+(?:(?:['’.-]|(?<=\d)[:,](?=\d))[^\W_]+)*%?")
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nothing|nobody|neither|nor|without|cannot|\w+n['’]t)\b", re.IGNORECASE
)

Stretch = tuple[int, int]


def wrong_words(claim: str, evidence: Sequence[str], said_before: str) -> list[Stretch]:
    """Stretches of the claim that its evidence does not back; all of it where none stands out.

    Evidence comes with the nearest line first: a denial stands out if that line denies nothing.
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
    denials = [match.span() for match in _NEGATION.finditer(claim)]
    if any(_NEGATION.search(line) for line in evidence[:1]):
        denials = []
    return _joined(claim, sorted({*new, *denials})) or [_stripped(claim)]


def found_in(text: str, phrases: Sequence[str]) -> list[Stretch]:
    """Where each of the phrases stands in a text, in its order; what does not stand there is left.

    A phrase that recurs stands where it comes next after the one before it.
    """
    stretches: list[Stretch] = []
    for phrase in phrases:
        after = stretches[-1][1] if stretches else 0
        whole = re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)")
        match = whole.search(text, after) or whole.search(text)
        if match:
            stretches.append(match.span())
    return sorted(set(stretches))


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
