"""Numbers, money, dates and times of a claim, compared as values with those of the evidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from staytrue.english.stop_words import content_words
from staytrue.english.values import (
    Value,
    comparable,
    find_values,
    names_all_of,
    same_value,
    says_less,
    within,
)
from staytrue.english.words import lemma

# Characters before and after a value that say what it is the value of.
_BEFORE, _AFTER = 40, 15
_MORE_THAN = re.compile(r"\b(?:more than|over|exceeding)\s+$", re.IGNORECASE)
# Not "within" or "up to", which name the very limit.
_LESS_THAN = re.compile(r"\b(?:less than|fewer than|under|below)\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Difference:
    """Words of the claim, a value or a name, that the evidence states otherwise."""

    claimed: str
    stated: str


@dataclass(frozen=True, slots=True)
class Compared:
    """A claim whose values have been looked up in the evidence."""

    text: str
    """The claim with its values written as the evidence writes them."""
    differences: tuple[Difference, ...]


def compare_values(
    claim: str, nearest: Sequence[str], everywhere: Callable[[], Sequence[Value]]
) -> Compared:
    """Look up each value of the claim; `nearest` are the lines that matter most.

    A value that stands anywhere in the source is right as a value; whether it stands in the right
    place is for the entailment model to say. One that stands nowhere differs from the value of the
    same kind in the nearest lines, if there is one that the claim does not give as well.
    """
    claimed = find_values(claim)
    if not claimed:
        return Compared(claim, ())
    placed = [(value, line) for line in nearest for value in find_values(line)]
    stated = [value for value, _ in placed]
    known = (*stated, *everywhere())
    given = [v for v in stated if any(same_value(value, v) for value in claimed)]
    text, shift = claim, 0
    differences = []
    for value in claimed:
        equal = [v for v in known if same_value(value, v)]
        if equal:
            # A day is not rewritten as its year, and a year only as a day if nothing else is there.
            precise = (v for v in equal if names_all_of(v, value))
            same = min(precise, key=lambda v: says_less(value, v), default=value)
            # Models know "Saturdays" better than "Sat"; lines of a timetable are told with it, too.
            # What the evidence has word for word stays: "1942" where it says "8 January 1942".
            if value.text.lower() not in same.text.lower() and value.kind != "weekday":
                text = text[: value.start + shift] + same.text + text[value.end + shift :]
                shift += len(same.text) - (value.end - value.start)
            continue
        if any(within(value, v) or within(v, value) for v in known):
            continue
        rivals = [(v, line) for v, line in placed if _answers(value, v) and v not in given]
        other = max(rivals, key=lambda one: _shared(claim, *one), default=(None, ""))[0]
        if other is not None and not _is_within_bound(claim, value, other):
            differences.append(Difference(value.text, other.text))
    return Compared(text, tuple(differences))


def _shared(claim: str, value: Value, line: str) -> int:
    """How many words of the claim stand around a value; the first of equals is the nearest."""
    around = line[max(0, value.start - _BEFORE) : value.end + _AFTER]
    return len({lemma(w) for w in content_words(claim)} & {lemma(w) for w in content_words(around)})


def _is_within_bound(claim: str, value: Value, stated: Value) -> bool:
    """Whether the claim says "more than" a value that the stated one exceeds, or "less than"."""
    before = claim[: value.start]
    more, less = _MORE_THAN.search(before), _LESS_THAN.search(before)
    return bool((more and stated.low > value.high) or (less and stated.high < value.low))


def _answers(claimed: Value, stated: Value) -> bool:
    """Whether the two say the same thing with another value.

    Bare numbers may count anything, and a weekday tells when something holds, not what.
    """
    if claimed.kind == "weekday":
        return False
    if claimed.kind in ("number", "ordinal") and (not claimed.unit or not stated.unit):
        return False
    return comparable(claimed, stated)
