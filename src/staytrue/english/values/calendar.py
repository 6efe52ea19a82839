"""Dates, clock times and weekdays at a place in the tokens."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence

from staytrue.english.numbers import DECADES
from staytrue.english.values.amounts import ValueSpan, read_amount
from staytrue.english.values.tokens import Amount, Token, Tokens

_MONTHS = (
    "january february march april may june july august september october november december"
).split()
MONTHS = {name: n + 1 for n, name in enumerate(_MONTHS)}
_SHORT_MONTHS = {name[:3]: n + 1 for n, name in enumerate(_MONTHS)} | {"sept": 9}
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_WEEKDAY_NAMES = {name + end: n for n, name in enumerate(WEEKDAYS) for end in ("", "s")}
_SHORT_WEEKDAYS = {name[:3]: n for n, name in enumerate(WEEKDAYS)} | {
    "tues": 1, "weds": 2, "thur": 3, "thurs": 3,
}  # fmt: skip
_BEFORE_A_MONTH = frozenset(
    "in of since until till by during early late mid last next every this each from for".split()
)
_BEFORE_A_YEAR = frozenset(
    "in since of from by until till during year before after around circa about early late mid "
    "through for and to".split()
)
_NAMED_TIMES = {"noon": 720, "midday": 720, "midnight": 0}
_AT = frozenset("at by until till before after around from".split())
_AFTER_A_TIME = frozenset(
    "on in every each and or to until till daily sharp tomorrow today".split()
)
_OPENING = frozenset(
    "open opens opening closed close closes hours hour available shift work works".split()
)


def encode(year: int, month: int = 0, day: int = 0) -> float:
    """A date, or the part of it that is known, as one number."""
    return float(year * 10000 + month * 100 + day)


def is_day(year: int, month: int, day: int) -> bool:
    """Whether the calendar has this day; without a year, 29 February exists."""
    return 1 <= month <= 12 and 1 <= day <= monthrange(year if 0 < year < 9999 else 2000, month)[1]


def read_date(tokens: Tokens, at: int) -> ValueSpan | None:
    """The date, month, year, decade or century that starts here; None if there is none."""
    token = tokens[at]
    if token.kind in ("date", "fraction"):
        return _written_in_digits(tokens, at)
    if token.kind == "decade":
        return _decade(tokens, at, token.low.strip("'’s").replace("'", "").replace("’", ""))
    if token.kind == "word" and token.low in DECADES:
        return _decade(tokens, at, DECADES[token.low][:-1])
    amount = read_amount(tokens, at)
    if amount is None:
        return _month_first(tokens, at)
    after = tokens[amount.end].low
    if after in DECADES:  # "the nineteen nineties"
        return _decade(tokens, amount.end, DECADES[after][:-1], int(amount.value))
    return _day_first(tokens, at, amount) or _era(tokens, at, amount)


def _written_in_digits(tokens: Tokens, at: int) -> ValueSpan | None:
    parts = [int(part) for part in re.split(r"[/.-]", tokens[at].text)]
    if len(parts) == 2:
        first, second = parts
        if first < second <= 10:
            return None  # a fraction or a mark: 3/4, 9/10
        readings = [(0, first, second), (0, second, first)]
    elif parts[0] > 31:
        readings = [(parts[0], parts[1], parts[2])]
    else:
        year = parts[2] if parts[2] > 99 else parts[2] + (2000 if parts[2] < 50 else 1900)
        # Americans write the month first; with dots nobody does.
        readings = [(year, parts[0], parts[1]), (year, parts[1], parts[0])]
        if "." in tokens[at].text:
            readings.reverse()
    days = dict.fromkeys(encode(*reading) for reading in readings if is_day(*reading))
    return ValueSpan("date", tuple((day, day) for day in days), "", at, at + 1) if days else None


def _decade(tokens: Tokens, at: int, digits: str, century: int = 0) -> ValueSpan | None:
    begin = at - 1 if century or tokens[at - 1].low == "the" else at
    if len(digits) == 4:
        first = int(digits)
        spans = [(first, first + 99), (first, first + 9)] if first % 100 == 0 else []
        spans = spans or [(first, first + 9)]
    else:
        if 10 <= century <= 20:
            spans = [(century * 100 + int(digits), century * 100 + int(digits) + 9)]
        elif begin == at and not tokens[at].text.startswith(("'", "’")):
            return None  # "in her thirties", "60s" of seconds
        else:
            spans = [(1900 + int(digits), 1909 + int(digits))]
            if int(digits) <= 20:
                spans.append((2000 + int(digits), 2009 + int(digits)))
    bounds = tuple((encode(first), encode(last)) for first, last in spans)
    return ValueSpan("date", bounds, "", begin, at + 1)


def _month(token: Token, *, beside_a_number: bool) -> int:
    if token.kind != "word":
        return 0
    if token.low in MONTHS and (beside_a_number or token.low not in ("march", "may")):
        return MONTHS[token.low]
    return _SHORT_MONTHS.get(token.low, 0) if beside_a_number else 0


def _is_shortened(tokens: Tokens, at: int) -> bool:
    """Whether a dot behind the month belongs to it ("Dec. 5"), as that of "5 July." does not."""
    dotted = tokens[at + 1].text == "." and tokens.adjacent(at + 1)
    return dotted and tokens[at].low not in MONTHS


def _month_first(tokens: Tokens, at: int) -> ValueSpan | None:
    """ "March 14th, 2024", "March 2024", "March of 2024", "March"."""
    token = tokens[at]
    here = at + 1
    here += _is_shortened(tokens, at)
    of = tokens[here].low == "of"
    here += of or tokens[here].low == "the"
    following = read_amount(tokens, here)
    if of and following and not following.year:
        following = None
    month = _month(token, beside_a_number=following is not None and following.value >= 1)
    if not month:
        capital = token.text[:1].isupper() and tokens[at - 1].low in _BEFORE_A_MONTH
        month = MONTHS.get(token.low, 0) if capital and token.kind == "word" else 0
        following = None
    if not month:
        return None
    if following is None or not following.value.is_integer():
        return _date(0, month, 0, at, at + 1)
    number = int(following.value)
    if following.year and not following.ordinal:
        return _date(number, month, 0, at, following.end)
    if not is_day(0, month, number):
        return _date(0, month, 0, at, at + 1)
    year, end = year_after(tokens, following.end)
    if token.text in ("may", "march") and not year and not following.ordinal:
        return None  # "you may 5 times"
    return _date(year, month, number, at, end)


def _day_first(tokens: Tokens, at: int, day: Amount) -> ValueSpan | None:
    """ "14 March 2024", "the fourteenth of March"."""
    if not 1 <= day.value <= 31 or not float(day.value).is_integer():
        return None
    here = day.end + (tokens[day.end].low == "of")
    named = tokens[here]
    month = _month(named, beside_a_number=True)
    if not month or not is_day(0, month, int(day.value)):
        return None
    here += 1 + _is_shortened(tokens, here)
    year, end = year_after(tokens, here)
    if named.text in ("may", "march") and not year and not day.ordinal:
        return None  # "5 may come"
    return _date(year, month, int(day.value), at, end if year else here)


def year_after(tokens: Tokens, at: int) -> tuple[int, int]:
    """The year behind a day, perhaps after a comma or "of", and where it ends."""
    here = at + (tokens[at].low in (",", "of"))
    amount = read_amount(tokens, here)
    if amount is not None and amount.year:
        return int(amount.value), amount.end
    return 0, at


def _era(tokens: Tokens, at: int, amount: Amount) -> ValueSpan | None:
    """A year, with "BC" where it has that, or a century."""
    if not float(amount.value).is_integer() or amount.value < 1:
        return None
    number = int(amount.value)
    here = amount.end + (tokens[amount.end].text == "-")
    after = tokens[here]
    if amount.ordinal:
        if after.low not in ("century", "centuries") or number > 30:
            return None
        before_christ = _is_before_christ(tokens, here + 1)
        end = here + 1 + before_christ
        low, high = 100 * (number - 1), 100 * number - 1
        bounds = (encode(-high), encode(-low)) if before_christ else (encode(low), encode(high))
        return ValueSpan("date", (bounds,), "", at, end)
    if number < 10000 and _is_before_christ(tokens, amount.end):
        return _date(-number, 0, 0, at, amount.end + 1)
    if not amount.year:
        return None
    return _date(number, 0, 0, at, amount.end)


def is_year(tokens: Tokens, at: int, *, counts_something: bool) -> bool:
    """Whether a number that looks like a year is one: not "1200 people", but "in 1987 people"."""
    before = tokens[at - 1]
    if before.low in _BEFORE_A_YEAR or _month(before, beside_a_number=True):
        return before.low not in ("about", "around", "for", "and", "to") or not counts_something
    return not counts_something


def _is_before_christ(tokens: Tokens, at: int) -> bool:
    return tokens[at].text in ("BC", "BCE")


def _date(year: int, month: int, day: int, begin: int, end: int) -> ValueSpan:
    date = encode(year, month, day)
    return ValueSpan("date", ((date, date),), "", begin, end)


def weekday_of(name: str) -> int | None:
    """The number of the day that a name or its short form means, from Monday as 0."""
    low = name.lower().rstrip(".")
    return _WEEKDAY_NAMES.get(low, _SHORT_WEEKDAYS.get(low))


def read_weekday(tokens: Tokens, at: int, *, in_range: bool = False) -> ValueSpan | None:
    """The weekday named here; short names count only in a range or beside a number."""
    token = tokens[at]
    if token.kind != "word":
        return None
    if token.low in ("weekdays", "weekends", "weekend"):
        bounds = (0.0, 4.0) if token.low == "weekdays" else (5.0, 6.0)
        return ValueSpan("weekday", (bounds,), "", at, at + 1)
    number = _WEEKDAY_NAMES.get(token.low)
    if number is None and token.text[:1].isupper() and token.low in _SHORT_WEEKDAYS:
        following = tokens[at + 1 + (tokens[at + 1].text == ":")]
        if in_range or following.kind in ("number", "clock") or following.text in "-–—":
            number = _SHORT_WEEKDAYS[token.low]
    return None if number is None else ValueSpan("weekday", ((number, number),), "", at, at + 1)


def read_time(tokens: Tokens, at: int) -> ValueSpan | None:
    """The clock time that starts here; without a.m. or p.m. it has two readings."""
    token = tokens[at]
    if token.low in _NAMED_TIMES:
        minutes = float(_NAMED_TIMES[token.low])
        both = ((minutes, minutes),) if minutes else ((0.0, 0.0), (1440.0, 1440.0))
        return ValueSpan("time", both, "", at, at + 1)
    if token.low in ("half", "quarter"):
        return _past_the_hour(tokens, at)
    if token.kind == "clock":
        hour, minute = (int(part) for part in token.text.split(":")[:2])
        end = at + 1
    else:
        amount = read_amount(tokens, at)
        if amount is None or amount.ordinal or not 0 < amount.value < 25:
            return None
        hour, minute, end = int(amount.value), round(100 * (amount.value % 1)), amount.end
        past = read_amount(tokens, end) if amount.spoken else None
        if past is not None and tokens[past.end].kind == "half_day":
            minute, end = int(past.value), past.end  # "nine thirty p.m."
        sure = tokens[end].kind == "half_day" or _is_oclock(tokens[end])
        if not sure and not (_is_bare_hour(tokens, at, end) and minute == 0):
            return None
    if hour > 24 or minute > 59:
        return None
    return _clock(tokens, hour, minute, at, end)


def _clock(tokens: Tokens, hour: int, minute: int, at: int, end: int) -> ValueSpan | None:
    if _is_oclock(tokens[end]):
        end += 1
    half = tokens[end]
    minutes = 60.0 * hour + minute
    if half.kind == "half_day" and not (half.low == "am" and half.start != tokens[end - 1].end
                                        and tokens[end - 2].low == "i"):  # fmt: skip
        if not 1 <= hour <= 12:
            return ValueSpan("time", ((minutes, minutes),), "", at, end + 1) if hour < 24 else None
        minutes = 60.0 * (hour % 12 + 12 * (half.low[0] == "p")) + minute
        return ValueSpan("time", ((minutes, minutes),), "", at, end + 1)
    if not 1 <= hour <= 12 or tokens[at].text.startswith("0"):
        return ValueSpan("time", ((minutes, minutes),), "", at, end)
    morning = 60.0 * (hour % 12) + minute
    both = [(morning, morning), (morning + 720, morning + 720)]
    if hour == 12:
        both.reverse()
    return ValueSpan("time", tuple(both), "", at, end)


def _past_the_hour(tokens: Tokens, at: int) -> ValueSpan | None:
    """ "half past nine", "quarter to five"."""
    way = tokens[at + 1].low
    hour = read_amount(tokens, at + 2)
    if way not in ("past", "to", "after") or hour is None or not 1 <= hour.value <= 12:
        return None
    part = 30 if tokens[at].low == "half" else 15
    total = int(hour.value) * 60 + (-part if way == "to" else part)
    return _clock(tokens, total // 60 or 12, total % 60, at, hour.end)


def _is_oclock(token: Token) -> bool:
    return token.low.replace("’", "'") in ("o'clock", "oclock")


def _is_bare_hour(tokens: Tokens, at: int, end: int) -> bool:
    """ "at nine", "until 5": an hour, unless it counts or measures something."""
    if tokens[at - 1].low not in ("at", "until", "till"):
        return False
    after = tokens[end]
    return (after.kind in ("end", "mark") and after.text not in ("%", "°", "-", "$")) or (
        after.low in _AFTER_A_TIME
    )  # fmt: skip


def speaks_of_opening(tokens: Tokens, at: int) -> bool:
    """Whether the few words before this place speak of opening hours or a shift."""
    return any(tokens[index].low in _OPENING for index in range(at - 6, at))


def span_readings(
    starts: Sequence[float], ends: Sequence[float]
) -> tuple[tuple[float, float], ...]:
    """The readings of a span between clock times: "9 to 5" is a day's or a night's eight hours."""
    spans = [(start, end) for start in starts for end in ends if start != end]
    spans.sort(key=lambda span: ((span[1] - span[0]) % 1440, span[0]))
    short = [span for span in spans if (span[1] - span[0]) % 1440 < 960]
    return tuple(short or spans[:1])


def both_halves(hour: float) -> tuple[float, float]:
    """An hour of the clock's face in minutes, before noon and after."""
    return 60 * (hour % 12), 60 * (hour % 12) + 720
