"""Whether two values can be compared, say the same, or lie within one another."""

from __future__ import annotations

import math

from staytrue.english.values.units import unit_named
from staytrue.english.values.value import Value

_EXACT = 1e-12
_CONVERTED = 0.015
"""Who turns miles into kilometres rounds: 5 miles are "8 km"."""
_DEGREES = 0.6
_MONTH = 30.4375 * 86400
_MONTH_ROUNDING = 0.02
"""A month has 28 to 31 days: 90 days are "three months", 365 days "a year"."""
_SHARE_ROUNDING = 0.5
"""In percentage points: a third is "33%"."""


def comparable(a: Value, b: Value) -> bool:
    """Whether the values are of one kind and of compatible units, in some reading."""
    return any(_comparable(x, y) for x in a.readings for y in b.readings)


def same_value(a: Value, b: Value) -> bool:
    """Whether the values say the same in some reading, however they are written."""
    return any(
        _comparable(x, y) and _same(x, y.low, x.low, y) and _same(x, y.high, x.high, y)
        for x in a.readings
        for y in b.readings
    )


def says_less(a: Value, b: Value) -> bool:
    """Whether `a` is a date that names fewer parts than `b`: 2025 beside 15 January 2025."""
    return a.kind == b.kind == "date" and _named_parts(a) < _named_parts(b)


def names_all_of(a: Value, b: Value) -> bool:
    """Whether `a` names every part of a date that `b` names; 25 December has no year of 1989."""
    if not a.kind == b.kind == "date":
        return True
    parts = zip(_parts_of_date(a.low), _parts_of_date(b.low), strict=True)
    return all(own or not other for own, other in parts)


def _named_parts(date: Value) -> int:
    return sum(map(bool, _parts_of_date(date.low)))


def within(a: Value, b: Value) -> bool:
    """Whether `a` lies in the range `b` in some reading: 1985 in the 1980s, 10:00 in 9 to 5."""
    return any(_comparable(x, y) and _within(x, y) for x in a.readings for y in b.readings)


def _comparable(a: Value, b: Value) -> bool:
    if a.kind != b.kind:
        return False
    if a.kind == "date":
        return _share_a_part(a.low, b.low) and _share_a_part(a.high, b.high)
    (base, rate), (other_base, other_rate) = _parts(a.unit), _parts(b.unit)
    if base != other_base and not _one_is_open(a, base, other_base):
        return False
    return not rate or not other_rate or rate == other_rate or _scale(rate, other_rate) is not None


def _one_is_open(a: Value, base: str, other: str) -> bool:
    """Numbers without a noun may count anything; days can be compared with months."""
    if a.kind in ("number", "ordinal"):
        return not base or not other
    return a.kind == "duration"


def _parts(unit: str) -> tuple[str, str]:
    base, _, rate = unit.partition("/")
    return base, rate


def _scale(rate: str, other: str) -> float | None:
    """How many of the other period one period has: a year has 12 months."""
    first, second = unit_named((rate,)), unit_named((other,))
    if first is None or second is None or {first.kind, second.kind} != {"duration"}:
        return None
    months = {"second": 1.0, "month": _MONTH}
    return (first.factor * months[first.unit]) / (second.factor * months[second.unit])


def _same(a: Value, amount_b: float, amount_a: float, b: Value) -> bool:
    if a.kind == "date":
        return _dates_agree(amount_a, amount_b)
    if a.kind in ("time", "weekday"):
        return amount_a == amount_b
    factor = _factor(a, b)
    # A year is 52 weeks in every price list.
    tolerance = _EXACT if factor is None else _MONTH_ROUNDING
    amount_a *= factor or 1.0
    if a.kind == "percent" and not (_is_round(amount_a) and _is_round(amount_b)):
        return abs(amount_a - amount_b) <= _SHARE_ROUNDING
    if {a.system, b.system} == {"metric", "imperial"}:
        if _parts(a.unit)[0] == "°C":
            return abs(amount_a - amount_b) <= _DEGREES
        tolerance = _CONVERTED
    return math.isclose(amount_a, amount_b, rel_tol=tolerance, abs_tol=1e-12)


def _factor(a: Value, b: Value) -> float | None:
    """What turns an amount in the periods of `a` into one in those of `b`; None if they are one."""
    (base, rate), (other_base, other_rate) = _parts(a.unit), _parts(b.unit)
    factor = None
    if rate and other_rate and rate != other_rate:
        factor = 1 / (_scale(rate, other_rate) or 1.0)
    if base != other_base and a.kind == "duration":
        seconds = {"month": _MONTH}
        factor = (factor or 1.0) * seconds.get(base, 1.0) / seconds.get(other_base, 1.0)
    return factor


def _within(a: Value, b: Value) -> bool:
    if a.kind == "date":
        # A date that names less than the range's first or last day may be that day: 1935 in
        # "January 8, 1935 to August 16, 1977".
        if not a.is_range and (_dates_agree(a.low, b.low) or _dates_agree(a.high, b.high)):
            return True
        first, last = _year_bounds(a)
        return _year_bounds(b)[0] <= first and last <= _year_bounds(b)[1]
    low, high = b.low, b.high
    if low > high:  # past midnight or past Sunday
        return (a.low >= low or a.low <= high) and (a.high >= low or a.high <= high)
    factor = _factor(a, b) or 1.0
    return low <= a.low * factor and a.high * factor <= high


def _year_bounds(value: Value) -> tuple[float, float]:
    """The first and the last day that a date can mean, as numbers."""
    year, month, day = _parts_of_date(value.high)
    return value.low, year * 10000 + (month or 12) * 100 + (day or 31)


def _is_round(share: float) -> bool:
    return math.isclose(share, round(share, 2), abs_tol=1e-9)


def _parts_of_date(date: float) -> tuple[int, int, int]:
    year, rest = divmod(int(date), 10000)
    return year, rest // 100, rest % 100


def _share_a_part(a: float, b: float) -> bool:
    return any(x and y for x, y in zip(_parts_of_date(a), _parts_of_date(b), strict=True))


def _dates_agree(a: float, b: float) -> bool:
    """Whether the parts that both dates name agree."""
    return all(
        not x or not y or x == y for x, y in zip(_parts_of_date(a), _parts_of_date(b), strict=True)
    )
