"""First person ↔ second person: what one speaker says, in the other one's mouth."""

from __future__ import annotations

import re
from collections.abc import Sequence

from staytrue.english.wording import AUXILIARIES

TO_SECOND = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself", "we": "you",
    "us": "you", "our": "your", "ours": "yours", "ourselves": "yourselves", "i'm": "you're",
    "i've": "you've", "i'd": "you'd", "i'll": "you'll",
}  # fmt: skip
TO_FIRST = {"your": "my", "yours": "mine", "yourself": "myself", "yourselves": "ourselves"}
BE_OF_I = {"are": "am", "were": "was"}
_BE_OF_YOU = {"am": "are", "was": "were"}
_BETWEEN = frozenset("never ever always still really only also just often not n't".split())
_BEFORE_VERB = frozenset(("go", "grow", "like", "want", "get"))
_BEFORE_THE_COUNTRY = frozenset(("the", "a", "in", "last"))
_AFTER_THE_COUNTRY = frozenset(("president", "state", "states", "army"))
_PIECE = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?|[^A-Za-z]+")


def to_second(words: Sequence[str]) -> list[str]:
    """The words in the other person's mouth: I → you, my → your, "I am" → "you are"."""
    low = [word.lower().replace("’", "'") for word in words]
    return [
        _be_of_you(low, at)
        or (word if _is_the_country(words, low, at) else TO_SECOND.get(low[at], word))
        for at, word in enumerate(words)
    ]


def text_to_second(text: str) -> str:
    """A text in the other person's mouth; what stands between its words stays."""
    pieces = _PIECE.findall(text)
    places = [at for at, piece in enumerate(pieces) if piece[0].isascii() and piece[0].isalpha()]
    for at, word in zip(places, to_second([pieces[at] for at in places]), strict=True):
        pieces[at] = word
    return "".join(pieces)


def to_first(words: Sequence[str]) -> list[str]:
    """The words in the answerer's mouth: your → my; you → i before a verb, else me."""
    out: list[str] = []
    for index, word in enumerate(words):
        if word in ("you", "u"):
            after = words[index + 1] if index + 1 < len(words) else ""
            out.append("i" if after in AUXILIARIES or after in _BEFORE_VERB else "me")
        elif index and words[index - 1] in ("you", "u") and word in BE_OF_I:
            out.append(BE_OF_I[word])
        else:
            out.append(TO_FIRST.get(word, word))
    return out


def _be_of_you(low: Sequence[str], at: int) -> str:
    """ "are" for the "am" of "I am", "am I" and "I never am", "were" for "was"; else nothing."""
    if low[at] not in _BE_OF_YOU:
        return ""
    before, after = at - 1, at + 1
    while before >= 0 and low[before] in _BETWEEN and at - before < 4:
        before -= 1
    while after < len(low) and low[after] in ("not", "n't") and after - at < 3:
        after += 1
    own = (before >= 0 and low[before] == "i") or (after < len(low) and low[after] == "i")
    return _BE_OF_YOU[low[at]] if own else ""


def _is_the_country(words: Sequence[str], low: Sequence[str], at: int) -> bool:
    """Whether "us" is the United States."""
    if low[at] != "us":
        return False
    before = low[at - 1] if at else ""
    after = low[at + 1] if at + 1 < len(low) else ""
    return words[at] == "US" or before in _BEFORE_THE_COUNTRY or after in _AFTER_THE_COUNTRY
