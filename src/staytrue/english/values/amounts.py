"""Numbers, shares, ordinals, money and measures at a place in the tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from staytrue.english.numbers import LONGEST_PHRASE, NUMBER_WORDS, SCALES, read_number
from staytrue.english.values.tokens import Amount, Token, Tokens
from staytrue.english.values.units import LONGEST_NAME, Unit, unit_named
from staytrue.english.values.value import Kind
from staytrue.english.words import function_words, lemma

_DIGITS = re.compile(r"\d+")
_LINKS = ("and", "a", "oh", "o", "half")
_SHORT_SCALES = {"k": 10**3, "mn": 10**6, "mio": 10**6, "bn": 10**9, "tn": 10**12}
_HALVES: dict[tuple[str, ...], float] = {("and", "a", "half"): 0.5, ("and", "a", "quarter"): 0.25}
_SHARES = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "tenth": 10}
_SHARES |= {f"{name}s": of for name, of in _SHARES.items() if name not in ("half", "halves")}
# "a week" is a duration of one week; "a minute" and "a foot" are mostly something else.
_SINGLE = frozenset(
    "hour week fortnight month year decade century mile kilometre kilometer kilogram litre liter "
    "gallon hectare acre".split()
)
_NOT_COUNTED_BEFORE = frozenset("no any every some this that the which each another".split())
_NOT_COUNTED_AFTER = frozenset(
    "of another is was are can who that thing has should would will must may could might does "
    "day night and or to by".split()
)


@dataclass(frozen=True, slots=True)
class ValueSpan:
    """A value at a place in the tokens, before it is known whether it starts a range."""

    kind: Kind
    bounds: tuple[tuple[float, float], ...]
    """Low and high of each reading."""
    unit: str
    begin: int
    end: int
    measure: Unit | None = None
    raw: float | None = None
    """The number as written, for "3 to 5 days", where the unit comes later."""
    year: bool = False


def read_amount(tokens: Tokens, at: int) -> Amount | None:
    """The number that starts here, in digits or words; None if there is none."""
    if at not in tokens.amounts:
        tokens.amounts[at] = _read_amount(tokens, at)
    return tokens.amounts[at]


def _read_amount(tokens: Tokens, at: int) -> Amount | None:
    first = tokens[at]
    if first.kind == "ordinal":
        return Amount(float(first.low[:-2]), at + 1, False, ordinal=True)
    if first.kind == "fraction":
        top, bottom = (int(part) for part in first.text.split("/"))
        return Amount(top / bottom, at + 1, False) if 0 < top < bottom else None
    digits = first.kind == "number"
    if not digits and not (first.kind == "word" and _may_begin(first.low)):
        return None
    if digits and not first.text.isascii():
        return Amount(first.number, at + 1, False)
    phrase, places = _phrase(tokens, at)
    reading = read_number(phrase)
    if reading is None:
        return None
    end = places[reading.length - 1] + 1
    value = reading.value
    if reading.ordinal:
        return Amount(value, end, not digits, ordinal=True)
    scaled = any(
        word in SCALES or word in ("hundred", "dozen") for word in phrase[: reading.length]
    )
    year = 1000 <= value < 2200 and not scaled
    year = year and (len(first.text) == 4 if digits else reading.length > 1)
    if digits and tokens.adjacent(end) and (short := _short_scale(tokens[end])):
        return Amount(value * short, end + 1, False)
    after = tokens.low(end, 3)
    if after in _HALVES:
        return Amount(value + _HALVES[after], end + 3, not digits)
    following = tokens[end]
    mixed = read_amount(tokens, end) if following.kind == "fraction" else None
    if mixed is not None:
        return Amount(value + mixed.value, mixed.end, False)
    if digits and following.kind == "number" and not following.text.isascii():
        return Amount(value + following.number, end + 1, False)
    return Amount(value, end, not digits, year=year)


def _may_begin(word: str) -> bool:
    return word in NUMBER_WORDS or word in ("a", "half")


def _short_scale(token: Token) -> int:
    if token.text == "M":
        return 10**6
    return _SHORT_SCALES.get(token.low, 0) if token.kind == "word" else 0


def _phrase(tokens: Tokens, at: int) -> tuple[list[str], list[int]]:
    """The words that may belong to one number phrase, with hyphens left out, and their places."""
    words: list[str] = []
    places: list[int] = []
    while len(words) < LONGEST_PHRASE:
        token = tokens[at]
        if token.kind == "number" and token.text[0].isascii():
            # A second number in digits is a number of its own.
            if words:
                break
            words.append(token.digits)
            places.append(at)
        elif token.kind == "word" and (token.low in NUMBER_WORDS or token.low in _LINKS):
            words.append(token.low)
            places.append(at)
        elif not (token.text == "-" and words and tokens.adjacent(at)):
            break
        at += 1
    return words, places


def read_unit(tokens: Tokens, at: int, *, spoken: bool) -> tuple[Unit, int] | None:
    """The unit named here and where its name ends."""
    names: list[tuple[list[str], int]] = []
    words: list[str] = []
    here = at
    if tokens[here].text == "-" and tokens.adjacent(here):  # "a 5-year plan"
        here += 1
        if tokens[here].kind == "mark":
            return None  # "$5-$10"
    while len(words) < LONGEST_NAME:
        token = tokens[here]
        if token.kind not in ("word", "mark") or token.text in ".,;:!?()":
            break
        words.append(token.low)
        here += 1
        # "sq. ft.": the dot of an abbreviation belongs to it
        dotted = tokens[here].text == "." and tokens.adjacent(here) and len(token.low) < 4
        names.append((list(words), here))
        if dotted and unit_named(words) is None:
            here += 1
        glued = tokens[here].text == "-" and tokens.adjacent(here)
        if glued and unit_named(words) is not None:
            break
    for name, end in reversed(names):
        unit = unit_named(name)
        if unit is not None and not (unit.after_digits and spoken):
            return unit, end
    return None


def read_rate(tokens: Tokens, at: int) -> tuple[str, int]:
    """ "/month" for "a month", "per month", "each month" or "/month", and where it ends."""
    word, following = tokens[at], tokens[at + 1]
    if following.kind != "word" or word.low not in ("per", "a", "an", "each", "every", "/"):
        return "", at
    period = unit_named((following.low,))
    if period is not None and period.kind == "duration":
        return f"/{_PERIODS.get((period.unit, period.factor), following.low)}", at + 2
    if word.low == "per" and following.low not in function_words():
        return f"/{lemma(following.low)}", at + 2
    return "", at


_PERIODS = {
    ("second", 1.0): "second", ("second", 60.0): "minute", ("second", 3600.0): "hour",
    ("second", 86400.0): "day", ("second", 604800.0): "week", ("month", 1.0): "month",
    ("month", 12.0): "year",
}  # fmt: skip


def read_item(tokens: Tokens, at: int) -> ValueSpan | None:
    """The number, share, sum of money or measure that starts here; None if there is none."""
    first = tokens[at]
    if first.kind == "phone":
        digits = float("".join(c for c in first.text if c.isdigit())[-10:])
        return ValueSpan("phone", ((digits, digits),), "", at, at + 1)
    if first.kind == "height":
        feet, inches = (float(part) for part in _DIGITS.findall(first.text))
        metres = (12 * feet + inches) * 0.0254
        return ValueSpan("quantity", ((metres, metres),), "m", at, at + 1, unit_named(("foot",)))
    if first.low in ("once", "twice", "thrice"):
        count = {"once": 1.0, "twice": 2.0, "thrice": 3.0}[first.low]
        rate, end = read_rate(tokens, at + 1)
        if first.low == "once" and not rate:
            return None  # "once upon a time"
        return ValueSpan("number", ((count, count),), f"time{rate}", at, end)
    return (
        _money_first(tokens, at)
        or _share(tokens, at)
        or _halved(tokens, at)
        or _single(tokens, at)
        or _measured(tokens, at)
    )


# "$5m" and "$1.2 bn"; a single letter only right behind the number.
_MONEY_SCALES = _SHORT_SCALES | {"m": 10**6, "b": 10**9}


def _money_first(tokens: Tokens, at: int) -> ValueSpan | None:
    """ "$20", "US$ 1.5 million", "EUR 30"."""
    for length in (2, 1):
        name = "".join(tokens.low(at, length))
        unit = unit_named((name,))
        if unit is None or unit.kind != "money" or unit.factor != 1:
            continue
        # "dollars 20" is not a price, "USD 20" is.
        if len(name) > 3 or (name.isalpha() and tokens[at].text.islower()):
            continue
        amount = read_amount(tokens, at + length)
        if amount is None or amount.ordinal or tokens[at + length].kind != "number":
            continue
        value, end = amount.value, amount.end
        short = tokens[end].low
        if short in _MONEY_SCALES and (tokens.adjacent(end) or len(short) > 1):
            value *= _MONEY_SCALES[short]
            end += 1
        # "$20 USD" and "$20 Canadian" name the currency a second time.
        again = read_unit(tokens, end, spoken=False)
        if again is not None and again[0].kind == "money":
            unit, end = again
        rate, end = read_rate(tokens, end)
        return ValueSpan("money", ((value, value),), unit.unit + rate, at, end, unit, value)
    return None


def _share(tokens: Tokens, at: int) -> ValueSpan | None:
    """ "half of", "a third of the", "two thirds", "3/4 of", "9 out of 10"."""
    first = tokens[at]
    count, here = 1.0, at
    if first.low in ("a", "one"):
        here += 1
    elif first.low in ("two", "three", "four") or (first.kind == "number" and first.low in "234"):
        amount = read_number([first.low])
        count, here = (amount.value if amount else 1.0), at + 1
    if tokens[here].text == "-" and tokens.adjacent(here):
        here += 1
    of = _SHARES.get(tokens[here].low, 0)
    following = tokens[here + 1].low
    plain = first.low == "half" and following in ("of", "the", "its", "our", "their", "all", "my")
    if of and (plain or (here > at and (following == "of" or count > 1))) and count < of:
        share = 100 * count / of
        return ValueSpan("percent", ((share, share),), "%", at, here + 1)
    amount_at = read_amount(tokens, at)
    if amount_at is None or amount_at.ordinal:
        return None
    after = list(tokens.low(amount_at.end, 2))
    if first.kind == "fraction" and after[0] == "of":
        share = 100 * amount_at.value
        return ValueSpan("percent", ((share, share),), "%", at, amount_at.end)
    if after == ["out", "of"]:
        whole = read_amount(tokens, amount_at.end + 2)
        if whole is not None and whole.value and not whole.ordinal:
            share = 100 * amount_at.value / whole.value
            return ValueSpan("percent", ((share, share),), "%", at, whole.end)
    return None


def _halved(tokens: Tokens, at: int) -> ValueSpan | None:
    """ "half an hour", "a quarter of an hour", "half a mile"."""
    words = list(tokens.low(at, 5))
    if words[:1] == ["half"] and words[1] in ("a", "an"):
        share, here = 0.5, at + 2
    elif words[:3] in (["a", "quarter", "of"], ["three", "quarters", "of"]) and words[3] == "an":
        share, here = (0.25 if words[0] == "a" else 0.75), at + 4
    elif words[:2] == ["a", "half"] or (words[0] == "half" and tokens[at + 1].text == "-"):
        share, here = 0.5, at + 2
    else:
        return None
    unit_and_end = read_unit(tokens, here, spoken=True)
    return None if unit_and_end is None else _with_unit(tokens, at, share, unit_and_end)


def _single(tokens: Tokens, at: int) -> ValueSpan | None:
    """ "an hour", "a fortnight", "a year and a half"."""
    if tokens[at].low not in ("a", "an") or tokens[at + 1].low not in _SINGLE:
        return None
    unit_and_end = read_unit(tokens, at + 1, spoken=True)
    if unit_and_end is None:
        return None
    after = tokens.low(unit_and_end[1], 3)
    extra = _HALVES.get(after, 0.0)
    return _with_unit(
        tokens, at, 1 + extra, (unit_and_end[0], unit_and_end[1] + (3 if extra else 0))
    )


def _measured(tokens: Tokens, at: int) -> ValueSpan | None:
    """A number with whatever follows it: a unit, the noun that it counts, or nothing."""
    amount = read_amount(tokens, at)
    if amount is None:
        return None
    if amount.ordinal:
        return _ordinal(tokens, at, amount)
    value = -amount.value if _is_negative(tokens, at) else amount.value
    # "fiscal 2022 second quarter", but "a 30 second delay".
    ordinal_next = tokens[amount.end].low == "second" and 1000 <= value < 3000
    unit_and_end = read_unit(tokens, amount.end, spoken=amount.spoken)
    if unit_and_end is not None and not ordinal_next:
        item = _with_unit(tokens, at, value, unit_and_end)
        extra = tokens.low(unit_and_end[1], 3)
        if extra in _HALVES and item.measure is not None:  # "two years and a half"
            return _with_unit(
                tokens, at, value + _HALVES[extra], (unit_and_end[0], unit_and_end[1] + 3)
            )
        return _with_smaller(tokens, item)
    alone = ordinal_next or _is_named(tokens, at)
    noun, end = ("", amount.end) if alone else _counted(tokens, amount.end)
    if amount.spoken and amount.value == 1 and not _counts_one(tokens, at, noun, amount.end):
        return None
    rate, end = read_rate(tokens, end)
    bounds = ((value, value),)
    return ValueSpan(
        "number", bounds, noun + rate, at, end if rate else amount.end, None, value, amount.year
    )


def _is_named(tokens: Tokens, at: int) -> bool:
    """Whether the number belongs to the name before it: "iPhone 15 costs", "Room 5 has"."""
    before = tokens[at - 1]
    named = before.kind == "word" and any(letter.isupper() for letter in before.text)
    return named and before.low not in function_words() and tokens[at].kind == "number"


def _is_negative(tokens: Tokens, at: int) -> bool:
    """Whether a minus sign stands right before the number and after a space."""
    return tokens[at - 1].text in ("-", "−") and tokens.adjacent(at) and not tokens.adjacent(at - 1)


def _counts_one(tokens: Tokens, at: int, noun: str, end: int) -> bool:
    """ "one" is a number in "one dog", not in "no one", "one of them" or "this one"."""
    before, after = tokens[at - 1].low, tokens[end].low
    return bool(noun) and before not in _NOT_COUNTED_BEFORE and after not in _NOT_COUNTED_AFTER


def _ordinal(tokens: Tokens, at: int, amount: Amount) -> ValueSpan | None:
    if tokens[amount.end].text == "-" and tokens.adjacent(amount.end):
        noun = lemma(tokens[amount.end + 1].low)  # "second-quarter sales"
    else:
        noun, _ = _counted(tokens, amount.end)
    share = tokens[at - 1].low in ("a", "one")  # "you save a fifth"
    if amount.spoken and not noun and (share or amount.value <= 2):
        return None  # "first, …", "a second"
    return ValueSpan("ordinal", ((amount.value, amount.value),), noun, at, amount.end)


def _counted(tokens: Tokens, at: int) -> tuple[str, int]:
    """The lemma of the noun counted, the first plural of the next words or else the next word,
    and where it ends."""
    first = ""
    for index in range(at, at + 3):
        token = tokens[index]
        if token.text == "-" and tokens.adjacent(index) and index == at:
            continue
        if token.kind != "word" or token.low in function_words() or token.low in NUMBER_WORDS:
            break
        base = lemma(token.low)
        if base != token.low and not token.low.endswith(("ing", "ed")):
            return base, index + 1
        first = first or base
    return first, at + 1 if first else at


def counts_a_plural(tokens: Tokens, at: int) -> bool:
    """Whether the word here is a plural noun, as far as its form tells."""
    token = tokens[at]
    plural = token.kind == "word" and lemma(token.low) != token.low
    return plural and token.low not in function_words() and not token.low.endswith(("ing", "ed"))


def _with_unit(tokens: Tokens, at: int, value: float, unit_and_end: tuple[Unit, int]) -> ValueSpan:
    unit, end = unit_and_end
    amount = value * unit.factor + unit.offset
    rate, end = ("", end) if "/" in unit.unit else read_rate(tokens, end)
    return ValueSpan(unit.kind, ((amount, amount),), unit.unit + rate, at, end, unit, value)


def _with_smaller(tokens: Tokens, item: ValueSpan) -> ValueSpan:
    """ "5 feet 10 inches", "1 hour and 30 minutes", "6 dollars and 20 cents" are one amount."""
    assert item.measure is not None
    here = item.end + (tokens[item.end].low in ("and", ","))
    amount = read_amount(tokens, here)
    if amount is None or amount.ordinal:
        return item
    unit_and_end = read_unit(tokens, amount.end, spoken=amount.spoken)
    if unit_and_end is None:
        return item
    smaller, end = unit_and_end
    fits = smaller.unit == item.measure.unit and smaller.factor < item.measure.factor
    if not fits or "/" in item.unit or amount.value * smaller.factor >= item.measure.factor:
        return item
    total = item.bounds[0][0] + amount.value * smaller.factor
    return replace(item, bounds=((total, total),), end=end, raw=total / item.measure.factor)
