"""Number words become digits, and digits number words."""

from __future__ import annotations

import random
import re

from staytrue.english.numbers import in_words
from staytrue.english.values.calendar import MONTHS
from staytrue.silver.edits import Edited, edit, replace

_NAMES = {str(value): in_words(value) for value in range(2, 21)}
_DIGITS = {word: digits for digits, word in _NAMES.items()}
_NUMBER = re.compile(
    r"(?<![\w.,:$£€/–-])(" + "|".join([*_DIGITS, *sorted(_NAMES, key=len, reverse=True)]) + r")"
    r"(?![\w:/%–-]|[.,]\d)",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"(?<=\s)[A-Z][\w'-]*\s$")
_MONTH = rf"(?:{'|'.join(MONTHS)})"
_MONTH_BEFORE = re.compile(rf"{_MONTH}\s*$", re.IGNORECASE)
_MONTH_AFTER = re.compile(rf"\s*{_MONTH}", re.IGNORECASE)


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
