"""Which words of a claim are wrong: those that its evidence does not have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from staytrue.english.stop_words import content_words
from staytrue.english.words import lemma

# With what belongs to a value: "17:00", "$5", "30%".
_WORD = re.compile(r"[$€£]?[^\W_]+(?:(?:['’.-]|(?<=\d)[:,](?=\d))[^\W_]+)*%?")
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nothing|nobody|neither|nor|without|cannot|\w+n['’]t)\b", re.IGNORECASE
)

Stretch = tuple[int, int]
# A claim is judged again without each word only where that leaves a claim, and is not too dear.
_FEWEST_WORDS, _MOST_WORDS = 3, 40
_LEAST_GAIN = 0.05


def wrong_words(claim: str, evidence: Sequence[str], said_before: str) -> list[Stretch]:
    """Stretches of the claim that its evidence does not back; none where no word stands out.

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
    return _joined(claim, sorted({*new, *denials}))


def without_each_word(claim: str) -> dict[Stretch, str]:
    """What is left of a claim without each of its words; nothing if it is very short or long."""
    words = [match.span() for match in _WORD.finditer(claim)]
    if not _FEWEST_WORDS <= len(words) <= _MOST_WORDS:
        return {}
    return {(a, b): f"{claim[:a].rstrip()} {claim[b:].lstrip()}".strip() for a, b in words}


def telling_words(claim: str, gains: Mapping[Stretch, float]) -> list[Stretch]:
    """The words without which a claim is clearly better supported, given what each costs it."""
    most = max(gains.values(), default=0.0)
    if most < _LEAST_GAIN:
        return []
    return _joined(claim, sorted(word for word, gain in gains.items() if gain >= most / 2))


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


def whole(text: str) -> Stretch:
    """All of a text but the space and the full stop around it."""
    start = len(text) - len(text.lstrip())
    return start, max(start + 1, len(text.rstrip(" .!?\n\t")))
