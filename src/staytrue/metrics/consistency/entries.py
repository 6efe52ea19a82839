"""Values of a list, table or timetable, and the entry that each belongs to.

A claim may give a value that the knowledge has, but for something else: the price of another plan,
Friday's hours on a Saturday. Small entailment models hardly see that. Where the knowledge lists
several values of a kind, each with words of its own, the words of the claim say which is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from staytrue.english.stop_words import content_words
from staytrue.english.values import Value, comparable, find_values, same_value, within
from staytrue.english.words import lemma
from staytrue.metrics.consistency.amounts import Difference

_KEYED = re.compile(r"(?P<about>[^:]{1,60}): (?P<cells>.+)", re.DOTALL)
# Numbers that count things are left out, as nobody lists them with words of their own.
_COMPARED = ("money", "percent", "quantity", "duration", "date", "time")


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of a list with the words, and the weekdays, that say what it belongs to."""

    value: Value
    words: frozenset[str]
    days: tuple[Value, ...]


def misplaced(claim: str, lines: Sequence[str]) -> Difference | None:
    """A value of the claim that the knowledge has in another entry than the claim names."""
    values = find_values(claim)
    days = [value for value in values if value.kind == "weekday"]
    # With two prices in a claim its words do not tell which of them is whose.
    alone = [
        value
        for value in values
        if value.kind in _COMPARED and sum(comparable(value, v) for v in values) == 1
    ]
    if not alone:
        return None
    claim_words = _words(claim, values)
    listings = list(lists(lines))
    for value in alone:
        for listed in listings:
            rivals = [entry for entry in listed if comparable(value, entry.value)]
            meant = _meant(claim_words, days, rivals)
            if not meant or any(_agree(value, entry.value) for entry in meant):
                continue
            # A value that the list has nowhere differs anyhow, if nothing else agrees: `amounts`.
            elsewhere = any(same_value(value, entry.value) for entry in rivals)
            if elsewhere or (days and meant[0].days):
                return Difference(value.text, _counterpart(value, meant).text)
    return None


def lists(lines: Sequence[str]) -> Iterator[list[Entry]]:
    """The entries of each line that lists some, and those of all lines "what: value" together."""
    together: list[Entry] = []
    for line in lines:
        keyed = _KEYED.fullmatch(line.strip())
        about, body = (keyed["about"], keyed["cells"]) if keyed else ("", line)
        own = list(_entries(about, body))
        if keyed:
            together += own
        elif len(own) > 1:
            yield own
    if len(together) > 1 or any(entry.days for entry in together):
        yield together


def _entries(about: str, body: str) -> Iterator[Entry]:
    apart = ";" if ";" in body else ","
    for part in re.split(rf"{apart}\s+(?![^()]*\))", body):
        text = f"{about}: {part}" if about else part
        values = find_values(text)
        told = [value for value in values if value.kind in _COMPARED]
        if len(told) == 1:
            days = tuple(value for value in values if value.kind == "weekday")
            yield Entry(told[0], _words(text, values), days)


def _meant(
    claim_words: frozenset[str], days: Sequence[Value], rivals: Sequence[Entry]
) -> Sequence[Entry]:
    """The entries that the claim speaks of; none where its words do not tell."""
    if days:
        rivals = [entry for entry in rivals if not entry.days or _on(days, entry)]
        if rivals and all(entry.days for entry in rivals):
            return rivals
    if len(rivals) < 2:
        return ()
    common = frozenset.intersection(*(entry.words for entry in rivals))
    shared = [(entry.words & claim_words) - common for entry in rivals]
    best = max(shared, key=len)
    if not best or not all(own <= best for own in shared):
        return ()
    return [entry for entry, own in zip(rivals, shared, strict=True) if own == best]


def _counterpart(value: Value, meant: Sequence[Entry]) -> Value:
    """The value that answers: to "$500 per year" rather "yearly $468" than "monthly $49"."""
    period = value.unit.partition("/")[2]
    named = [one for one in meant if period and any(w.startswith(period) for w in one.words)]
    return (named or meant)[0].value


def _words(text: str, values: Sequence[Value]) -> frozenset[str]:
    """The content words of a text that are not part of a value, in their dictionary forms."""
    for value in sorted(values, key=lambda value: -value.start):
        text = f"{text[: value.start]} {text[value.end :]}"
    return frozenset(lemma(word) for word in content_words(text))


def _on(days: Sequence[Value], entry: Entry) -> bool:
    return any(within(day, own) or same_value(day, own) for day in days for own in entry.days)


def _agree(claimed: Value, stated: Value) -> bool:
    """Whether the claim can be right: 10:00 lies within 9 to 5, but 9 to 3 is not 9 to 5."""
    if claimed.is_range and stated.is_range:
        return same_value(claimed, stated)
    return same_value(claimed, stated) or within(claimed, stated) or within(stated, claimed)
