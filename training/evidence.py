"""The sentences of a document that a claim about it is learned from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from training.common import sentences

# Evidence of at most so many words is chosen for a claim about a long document.
EVIDENCE_WORDS = 75

_WORD = re.compile(r"[a-z0-9]+")


def lines_of(document: str) -> list[str]:
    """Its sentences; a new line starts a new one."""
    return [line for part in document.splitlines() for line in sentences(part)]


def evidence(
    document: str, claim: str, words: int = EVIDENCE_WORDS, needed: Collection[str] = ()
) -> str:
    """The sentences of a long document that share most words with the claim, in its order.

    Needed ones come before all others; they, too, stay out where there is no room for them.
    """
    lines = lines_of(document)
    wanted = set(_WORD.findall(claim.lower()))
    counts = Counter(word for line in lines for word in set(_WORD.findall(line.lower())))

    def weight(line: str) -> float:
        own = set(_WORD.findall(line.lower()))
        return sum(1 / (1 + counts[word]) for word in own & wanted)

    chosen: set[int] = set()
    room = words
    for number in sorted(
        range(len(lines)), key=lambda n: (lines[n] not in needed, -weight(lines[n]))
    ):
        length = len(lines[number].split())
        if length <= room and (lines[number] in needed or weight(lines[number]) > 0):
            chosen.add(number)
            room -= length
    return " ".join(lines[number] for number in sorted(chosen))
