"""Find the values that a text states, ranges included."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from staytrue.english.values import calendar
from staytrue.english.values.amounts import ValueSpan, counts_a_plural, read_item
from staytrue.english.values.tokens import Tokens, tokens_of
from staytrue.english.values.value import Kind, Value

# Longer texts are not remembered, so that memory stays small.
_REMEMBERED = 500
_RANGE_WORDS = frozenset(("to", "until", "till", "through", "thru"))
_DASHES = frozenset("-–—")
_POUNDS = ("pound", "pounds")


def find_values(text: str) -> list[Value]:
    """The numbers, sums, measures, dates and times of a text, from left to right."""
    return list(_found(text) if len(text) <= _REMEMBERED else _read(text))


@lru_cache(maxsize=1024)
def _found(text: str) -> tuple[Value, ...]:
    """Remembered for a while: a line is compared with every claim of a response."""
    return tuple(_read(text))


def _read(text: str) -> list[Value]:
    tokens = tokens_of(text)
    values: list[Value] = []
    at = 0
    while at < tokens.real:
        item = _item(tokens, at)
        if item is None:
            at += 1
            continue
        item = _with_range(tokens, item)
        values.append(_value(text, tokens, item))
        at = item.end
    return values


def _item(tokens: Tokens, at: int, *, in_range: bool = False) -> ValueSpan | None:
    """The single value that starts here."""
    timed = calendar.read_weekday(tokens, at, in_range=in_range) or calendar.read_time(tokens, at)
    if timed is not None:
        return timed
    date = calendar.read_date(tokens, at)
    if date is None or not _is_bare_year(date):
        return date or read_item(tokens, at)
    amount = read_item(tokens, at)
    if amount is None or (amount.kind == "number" and calendar.is_year(
        tokens, at, counts_something=counts_a_plural(tokens, date.end)
    )):  # fmt: skip
        return date
    return amount


def _is_bare_year(date: ValueSpan) -> bool:
    low, high = date.bounds[0]
    return low == high and low > 0 and low % 10000 == 0


def _with_range(tokens: Tokens, left: ValueSpan) -> ValueSpan:
    """The value together with the one that it is joined to: "3 to 5 days"."""
    here = _after_separator(tokens, left)
    if here is None:
        return left
    right = _item(tokens, here, in_range=True)
    if right is None:
        return left
    bounds = _joined(tokens, left, right)
    if bounds is None:
        return left
    kind, spans, end = bounds
    unit = right.unit if right.kind == kind and right.unit else left.unit
    measure = right.measure or left.measure
    return replace(left, kind=kind, bounds=spans, unit=unit, end=end, measure=measure)


def _after_separator(tokens: Tokens, left: ValueSpan) -> int | None:
    """Where the second bound starts; None if no range goes on here."""
    token = tokens[left.end]
    if token.low in _RANGE_WORDS:
        return left.end + 1
    if token.low == "and":
        return left.end + 1 if tokens[left.begin - 1].low == "between" else None
    if token.low == "or":
        return left.end + 1 if left.kind == "number" and not left.unit else None
    if token.text in _DASHES:
        if tokens[left.end + 1].low in (*_RANGE_WORDS, "or"):  # "9-to-5", "18- to 49-year-old"
            if tokens[left.end + 2].text in _DASHES:
                return left.end + 3
            return left.end + 2 if tokens.adjacent(left.end) else None
        even = tokens.adjacent(left.end) == tokens.adjacent(left.end + 1)
        return left.end + 1 if even else None
    return None


Span = tuple[float, float]
_Joined = tuple[Kind, tuple[Span, ...], int]


def _joined(tokens: Tokens, left: ValueSpan, right: ValueSpan) -> _Joined | None:
    """Kind, bounds and end of the range between two values; None if they form none."""
    by_word = tokens[left.end].low in _RANGE_WORDS
    if left.kind == "number" and right.kind == "time":
        return _times(left, right) if not left.unit else None
    if left.kind == "date" or right.kind == "date":
        return _dates(tokens, left, right, by_word=by_word)
    if left.kind == right.kind == "time":
        starts, ends = [low for low, _ in left.bounds], [high for _, high in right.bounds]
        return "time", calendar.span_readings(starts, ends), right.end
    if left.kind == right.kind == "weekday":
        return "weekday", ((left.bounds[0][0], right.bounds[0][1]),), right.end
    if left.kind == "time" and right.kind == "number" and not right.unit and right.raw is not None:
        if right.raw not in range(1, 13):
            return None
        starts = [low for low, _ in left.bounds]
        return "time", calendar.span_readings(starts, calendar.both_halves(right.raw)), right.end
    if _are_hours(tokens, left, right, by_word=by_word):
        assert left.raw is not None
        assert right.raw is not None
        halves = calendar.both_halves(left.raw), calendar.both_halves(right.raw)
        return "time", calendar.span_readings(*halves), right.end
    return _amounts(left, right)


def _times(left: ValueSpan, right: ValueSpan) -> _Joined | None:
    """ "9 to 5 p.m.": the first hour is the nearest one before the second."""
    if left.raw not in range(1, 13):
        return None
    assert left.raw is not None
    ends = [high for _, high in right.bounds]
    return "time", calendar.span_readings(calendar.both_halves(left.raw), ends), right.end


def _are_hours(tokens: Tokens, left: ValueSpan, right: ValueSpan, *, by_word: bool) -> bool:
    """ "nine to five" counts down, so it is no range of numbers."""
    bare = all(
        item.kind == "number" and not item.unit and item.raw in range(1, 13)
        for item in (left, right)
    )
    if not bare or left.raw == right.raw:
        return False
    opening = calendar.speaks_of_opening(tokens, left.begin)
    return opening or (by_word and (left.raw or 0) > (right.raw or 0))


def _dates(tokens: Tokens, left: ValueSpan, right: ValueSpan, *, by_word: bool) -> _Joined | None:
    low, high = left.bounds[0][0], right.bounds[0][1]
    end = right.end
    if left.kind == "number":
        if left.unit or left.raw is None:
            return None
        high_day = int(high) % 100
        if not high_day or not 1 <= left.raw < high_day:
            return None
        low = high - high_day + left.raw  # "3-5 March 2024"
    elif right.kind == "number":
        year, month_day = divmod(int(low), 10000)
        if right.unit or right.raw is None:
            return None
        if month_day % 100 and month_day % 100 < right.raw <= 31:  # "March 3-5, 2024"
            later, end = calendar.year_after(tokens, right.end)
            year = year or later
            low = calendar.encode(year, month_day // 100, month_day % 100)
            high = low - month_day % 100 + right.raw
        elif not month_day and not by_word and year % 100 < right.raw < 100:  # "1939-45"
            high = calendar.encode(year - year % 100 + int(right.raw))
        else:
            return None
    elif left.kind != right.kind:
        return None
    elif 0 < low < 10000 < high:  # "June to August 2024"
        low += high // 10000 * 10000
    return "date", ((low, high),), end


def _amounts(left: ValueSpan, right: ValueSpan) -> _Joined | None:
    low, high = left.bounds[0][0], right.bounds[0][1]
    if left.kind == "number" and not left.unit and left.raw is not None and right.measure:
        low = left.raw * right.measure.factor + right.measure.offset  # "3 to 5 days"
    elif right.kind == "number" and not right.unit and right.raw is not None and left.measure:
        high = right.raw * left.measure.factor + left.measure.offset  # "$20-30"
        return (left.kind, ((low, high),), right.end) if low < high else None
    elif left.kind != right.kind or (left.unit and left.unit != right.unit):
        return None
    return (right.kind, ((low, high),), right.end) if low < high else None


def _value(text: str, tokens: Tokens, item: ValueSpan) -> Value:
    start, end = tokens[item.begin].start, tokens[item.end - 1].end
    if item.raw is not None and item.raw < 0:
        start -= 1  # the minus sign
    system = item.measure.system if item.measure else "other"
    readings = [
        Value(item.kind, low, high, item.unit, text[start:end], start, end, system)
        for low, high in item.bounds
    ]
    if item.unit.startswith("g") and text[start:end].lower().endswith(_POUNDS):
        pound = item.measure.factor if item.measure else 1.0
        low, high = item.bounds[0][0] / pound, item.bounds[0][1] / pound
        readings.append(Value("money", low, high, "GBP", text[start:end], start, end))
    return replace(readings[0], others=tuple(readings[1:]))
