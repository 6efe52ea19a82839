"""Lines of a timetable, told for the day that a claim speaks of.

"Sat: 09:00-13:00" says nothing to a model that reads sentences; "Saturday: open 09:00-13:00." does.
What holds from Monday to Friday is told for a Tuesday where the claim is about Tuesdays, and lines
about other days are no evidence for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from staytrue.english.values import Value, find_values
from staytrue.english.values.calendar import WEEKDAYS, weekday_of
from staytrue.metrics.consistency.sources import Line

_NAMES = tuple(name.capitalize() for name in WEEKDAYS)
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,7}\b\.?"
_ENTRY = re.compile(
    rf"[\s*•-]*(?P<first>{_DAY})(?:\s*(?:-|–|—|to|through|until|and|&)\s*(?P<last>{_DAY}))?"
    r"\s*:?\s+(?P<hours>(?:from\s+)?(?:\d|closed\b|shut\b|open\b|noon\b).{0,200})",
    re.DOTALL | re.IGNORECASE,
)


def for_claim(claim: str, lines: Iterable[Line]) -> Iterator[Line]:
    """The lines, but those of a timetable as sentences, and only those of the claim's days."""
    asked = [value for value in find_values(claim) if value.kind == "weekday"]
    for line in lines:
        entry = _ENTRY.fullmatch(line.text.strip())
        first = weekday_of(entry["first"]) if entry else None  # none in "Sunset 9 pm"
        last = weekday_of(entry["last"]) if entry and entry["last"] else None
        if entry is None or first is None:
            yield line
        elif not asked:
            yield _told(line, _days(first, last), entry["hours"])
        else:
            days = [day for day in _run(first, last) if any(_is_on(day, value) for value in asked)]
            if days:
                named = _NAMES[days[0]] if len(days) == 1 else _days(first, last)
                yield _told(line, named, entry["hours"])


def _run(first: int, last: int | None) -> list[int]:
    """The days from the first to the last, past Sunday too."""
    count = 1 if last is None else (last - first) % 7 + 1
    return [(first + n) % 7 for n in range(count)]


def _is_on(day: int, value: Value) -> bool:
    low, high = int(value.low), int(value.high)
    return low <= day <= high if low <= high else day >= low or day <= high


def _days(first: int, last: int | None) -> str:
    return _NAMES[first] if last is None else f"{_NAMES[first]} to {_NAMES[last]}"


def _told(line: Line, days: str, hours: str) -> Line:
    about = f"{line.heading}, " if line.heading else ""
    hours = hours.strip().rstrip(".")
    opening = "" if hours[0].isalpha() and not hours.lower().startswith("from") else "open "
    return replace(line, told=f"{about}{days}: {opening}{hours}.")
