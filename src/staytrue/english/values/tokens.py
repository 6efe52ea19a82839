"""A text cut into numbers, clock times, dates, words and marks, each with its place."""

from __future__ import annotations

import re
from typing import NamedTuple

# Each repetition is bounded or cannot be entered twice from within, so that the scan is linear.
# Texts cut into tokens, as benchmarks have them, write "23 , 768".
_TOKEN = re.compile(
    r"""
    (?P<skip>(?:https?://|www\.)\S+|[\w.+-]{1,64}@[\w-]{1,63}\.\w{2,24}|\b24/7\b)
    |(?P<date>(?<![\w/.-])(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}(?P<by>[/.-])\d{1,2}(?P=by)(?:\d{4}|\d\d))
       (?![\w/]|[.-]\d))
    |(?P<clock>(?<![\w:.])\d{1,2}:\d\d(?::\d\d)?(?![\d:]))
    |(?P<height>(?<!\w)\d['’′]\s?\d{1,2}(?:["”″]|(?!\w)))
    |(?P<phone>(?<![\w.])(?:\+\d{1,3}[\s.-]?)?(?:\(\d{2,4}\)\s?|\d{3,4}[\s.-])\d{3,4}[\s.-]\d{4}
       (?![\w-])|(?<![\w.-])\d{3}-\d{4}(?![\w-]))
    |(?P<version>\d+(?:\.\d+){2,})
    |(?P<decade>(?<!\w)(?:\d{3}0|['’]?[1-9]0)['’]?s(?!\w))
    |(?P<ordinal>(?<![\w.])\d{1,9}(?:st|nd|rd|th)(?!\w))
    |(?P<fraction>(?<![\w/.])\d{1,3}/\d{1,3}(?![\w/]))
    |(?P<number>(?<!\w)(?:\d{1,3}(?:(?:,|[ ],[ ])\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
       |[½¼¾⅓⅔])
    |(?P<half_day>(?<![^\W\d_])[ap](?:\.\s?m\b\.?|m\b))
    |(?P<word>(?:[kcm]?m[²³]|[kc]?m[23]|ft²)(?!\w)
       |[^\W\d_]+(?:['’][^\W\d_]+)*(?!-?\d|\w)
       |(?:mid|pre|post|early|late|USD|EUR|GBP|CAD|AUD|CHF|INR|JPY|CNY|US|CA|AU|C|A|R|Rs)(?=-?\d|\$))
    |(?P<code>[^\W_]+(?:-\d+)*)
    |(?P<mark>\S)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FRACTIONS = {"½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4, "⅓": 1 / 3, "⅔": 2 / 3}


class Amount(NamedTuple):
    """A number and the place after its last token."""

    value: float
    end: int
    spoken: bool
    """Whether it was written in words."""
    ordinal: bool = False
    year: bool = False
    """Whether it looks like a year: four digits without a comma, or "nineteen ninety two"."""


class Token(NamedTuple):
    """A piece of the text and what it looks like."""

    kind: str
    text: str
    low: str
    start: int
    end: int

    @property
    def number(self) -> float:
        """What a number token is worth."""
        return _FRACTIONS.get(self.text) or float(self.digits)

    @property
    def digits(self) -> str:
        """A number token without what separates its thousands."""
        return self.text.replace(",", "").replace(" ", "")


_END = Token("end", "", "", -1, -1)


_PADDING = 24
"""More than any reader looks ahead or back."""


class Tokens(list[Token]):
    """The tokens of a text, followed by tokens that are nothing, which also stand before it."""

    def __init__(self, tokens: list[Token]) -> None:
        super().__init__([*tokens, *[_END] * _PADDING])
        self.real = len(tokens)
        self.amounts: dict[int, Amount | None] = {}
        """The numbers read so far, as several readers try the same place."""

    def low(self, at: int, count: int) -> tuple[str, ...]:
        """The next words in lower case, as many as are asked for."""
        return tuple([token.low for token in self[at : at + count]])

    def adjacent(self, at: int) -> bool:
        """Whether no space separates the token before from the one here."""
        return 0 < at < self.real and self[at - 1].end == self[at].start


def tokens_of(text: str) -> Tokens:
    """The tokens of a text, in order."""
    return Tokens(
        [
            Token(m.lastgroup or "mark", m.group(), m.group().lower(), m.start(), m.end())
            for m in _TOKEN.finditer(text)
        ]
    )
