"""Invented additions: a supported response goes on with something plausible and unsupported."""

from __future__ import annotations

import random
import re

from staytrue.silver.methods.entailed import shared_words

_JOINS = (" and ", ", and ", ". ", ". ", ", ")
_CLAUSE_END = re.compile(r", (?:and|but|which|who|while|where|although) |; ")
# An addition that repeats the evidence would not be invented.
MOST_SHARED = 0.6


def addition(
    response: str,
    other: str,
    evidence: str,
    rng: random.Random,
    proper: frozenset[str] = frozenset(),
) -> str | None:
    """The response, whole or its first clause, with a clause of `other` before or after it.

    `other` is a text on the same topic; None when it says the same as the evidence. Words in
    `proper` keep their capital in the middle of the sentence.
    """
    if shared_words(other, evidence) > MOST_SHARED:
        return None
    body = (first_clause(response) if rng.random() < 0.5 else response).rstrip(" .!?")
    extra = (first_clause(other) if rng.random() < 0.6 else other).rstrip(" .!?")
    if len(extra.split()) < 3 or len(body.split()) < 2:
        return None
    first, second = (body, extra) if rng.random() < 0.7 else (extra, body)
    join = rng.choice(_JOINS)
    if not join.startswith(".") and second.split()[0] not in proper:
        second = second[:1].lower() + second[1:]
    return f"{first}{join}{second}."


def first_clause(text: str) -> str:
    """The text up to the first place where a clause ends after at least four words."""
    for match in _CLAUSE_END.finditer(text):
        if len(text[: match.start()].split()) >= 4:
            return text[: match.start()]
    return text
