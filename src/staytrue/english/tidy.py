"""Messy dialogue text made readable for a parser, each character knowing where it came from.

Chat data is often lower case with spaced punctuation ("i ' m not sure , but it ' s fun ."). A
parser trained on edited text stumbles over it. `tidy` closes the gaps, gives sentences and names
their capitals, and keeps a map back, so that spans found in the tidy text point into the original.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from staytrue.english.word_lists import word_list

# Gaps to close: what the groups of each pattern match goes. Runs of space are matched from their
# start only, so that a long one does not take quadratic time.
_GAPS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<=\w)(\s*)['’`](\s*)(?:s|m|re|ve|d|ll|t)\b",  # i ' m, it 's, don ' t
        r"(?<=\d)(\s*['’`]\s*)(?=s\b)",  # the 1980 ' s: the parser knows 1980s
        r"\b[oO](\s*)['’](\s*)(?=clock\b)",
        r"(?<=\w)(\s+)n['’]t\b",  # do n't
        r"(?<!\s)(\s+)[,.!?;:%)\]](?!\w)",
        r"(?<=[(\[$#])(\s+)",
        r"(?<=\d)(\s+),(\s+)(?=\d{3}\b)|(?<=\d)(\s+)[.:](\s+)(?=\d)",  # 5 . 7, 1 , 000
        r"(?<=\w)(\s+)[-–](\s+)(?=\w)",  # catch - up, 2 - 3
    )
)
_QUOTED = re.compile(r"(?<!\S)\"(\s+)(?=\S)[^\"]*?(?<=\S)(\s+)\"(?!\S)")
_DOUBLE_SPACE = re.compile(r"\s(\s+)")
_ALONE_I = re.compile(r"\bi\b(?!\.\w)")
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s+)[\"'(]*([a-z])")
_LOWER_WORD = re.compile(r"\b[a-z]{3,}\b(?!'t)")
_BEFORE_NAME = re.compile(r"\b(?:new|north|south|east|west|saint|st|san|los|las)(?=\.? [A-Z])")


@dataclass(frozen=True, slots=True)
class Tidy:
    """A tidied text and, for each of its characters, the place in the original."""

    text: str
    original: str
    origins: tuple[int, ...]

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the original of the stretch [start, end) of the tidy text."""
        if start >= end:
            raise ValueError("An empty stretch has no place in the original.")
        return self.origins[start], self.origins[end - 1] + 1

    def from_original(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the tidy text of the stretch [start, end) of the original."""
        return bisect_left(self.origins, start), bisect_left(self.origins, end)


def tidy(text: str) -> Tidy:
    """Close the gaps of spaced punctuation and restore capitals, with a map back."""
    dropped = _gap_positions(text)
    origins = tuple(i for i in range(len(text)) if i not in dropped)
    closed = "".join(" " if text[i].isspace() else text[i] for i in origins)
    return Tidy(_with_capitals(closed), text, origins)


def _gap_positions(text: str) -> set[int]:
    dropped: set[int] = set()
    for pattern in (*_GAPS, _QUOTED, _DOUBLE_SPACE):
        for match in pattern.finditer(text):
            for group in range(1, (pattern.groups or 0) + 1):
                dropped.update(range(*match.span(group)))  # (-1, -1) when it took no part
    return dropped


def _with_capitals(text: str) -> str:
    """Capitals for sentence starts, "I" and names, only where the writer used none."""
    if any(c.isupper() for c in text.replace("I", "")):
        return _ALONE_I.sub("I", text)
    names = proper_names()
    text = _LOWER_WORD.sub(
        lambda m: m.group().capitalize() if m.group() in names else m.group(), text
    )
    text = _BEFORE_NAME.sub(lambda m: m.group().capitalize(), text)
    text = _ALONE_I.sub("I", text)
    return _SENTENCE_START.sub(lambda m: m.group()[:-1] + m.group()[-1].upper(), text)


def proper_names() -> frozenset[str]:
    """Words that are nearly always written with a capital, in lower case."""
    return word_list("proper_names")
