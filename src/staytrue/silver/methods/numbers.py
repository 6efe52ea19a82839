"""Number words become digits, and digits number words."""

from __future__ import annotations

import random
import re

from staytrue.silver.edits import Edited, edit, replace

_WORDS = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
).split()
_DIGITS = {word: str(value) for value, word in enumerate(_WORDS, start=2)}
_NAMES = {digits: word for word, digits in _DIGITS.items()}
_NUMBER = re.compile(
    r"(?<![\w.,:$£€/–-])(" + "|".join([*_WORDS, *sorted(_NAMES, key=len, reverse=True)]) + r")"
    r"(?![\w:/%–-]|[.,]\d)",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"(?<=\s)[A-Z][\w'-]*\s$")
_MONTH_BEFORE = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"\s*$",
    re.IGNORECASE,
)
_MONTH_AFTER = re.compile(
    r"\s*(?:January|February|March|April|May|June|July|August|September|October|November|December)",
    re.IGNORECASE,
)


def rewrite_number(text: str, rng: random.Random) -> Edited | None:
    """Write one small number the other way; None when the text has none outside dates."""
    numbers = [
        match
        for match in _NUMBER.finditer(text)
        if not _MONTH_BEFORE.search(text[: match.start()])
        and not _MONTH_AFTER.match(text[match.end() :])
        and not (match.group()[0].isupper() and match.start())  # "Formula One", "Channel Five"
        and not _NAME_BEFORE.search(text[: match.start()])  # "Windows 10"
    ]
    if not numbers:
        return None
    match = rng.choice(numbers)
    old = match.group()
    new = _DIGITS.get(old.lower()) or _NAMES[old]
    return edit(text, [replace(match.start(), old, new)])
