"""Values as they stand in documents and answers: one amount, and the ways to write it."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

MONTHS = (
    "January February March April May June July August September October November December"
).split()
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = "_ first second third fourth fifth sixth seventh eighth ninth tenth".split()
_SUFFIXES = {1: "st", 2: "nd", 3: "rd"}


class SupportValue(NamedTuple):
    """An amount of a kind; names are of the kind `name`, and ranges have two ends."""

    kind: str
    amount: Any


def spelled(number: int) -> str:
    """A whole number below a million in words."""
    if number < 20:
        return _SMALL[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_SMALL[number % 10]}" if number % 10 else "")
    size, word = (1000, "thousand") if number >= 1000 else (100, "hundred")
    rest = number % size
    link = " and " if 0 < rest < 100 else " "
    return f"{spelled(number // size)} {word}" + (f"{link}{spelled(rest)}" if rest else "")


def _plain(number: float) -> str:
    return f"{number:g}" if number < 1000 else f"{number:,.0f}"


def _units(number: int, unit: str) -> list[str]:
    unit = unit if number == 1 else f"{unit}s"
    forms = [f"{_plain(number)} {unit}"]
    if number <= 20 or number in (30, 60, 90):
        forms.append(f"{spelled(number)} {unit}")
    return forms


def _days(amount: int) -> list[str]:
    forms = _units(amount, "day")
    if amount % 7 == 0 and amount <= 84:
        forms += _units(amount // 7, "week") + (["a week"] if amount == 7 else [])
    return forms


def _months(amount: int) -> list[str]:
    forms = _units(amount, "month")
    if amount % 12 == 0:
        forms = [*_units(amount // 12, "year"), f"{amount} months"]
    odd = {12: "a year", 6: "half a year", 18: "a year and a half", 30: "two and a half years"}
    return forms + ([odd[amount]] if amount in odd else [])


def _minutes(amount: int) -> list[str]:
    forms = [f"{amount} minutes", f"{spelled(amount)} minutes"] if amount < 120 else []
    if amount % 60 == 0:
        forms += _units(amount // 60, "hour")
    odd = {
        30: ["half an hour"], 60: ["an hour", "60 minutes"], 45: ["three quarters of an hour"],
        90: ["an hour and a half", "1.5 hours", "1 hour and 30 minutes"],
        120: ["120 minutes"], 150: ["two and a half hours", "150 minutes", "2.5 hours"],
    }  # fmt: skip
    return forms + odd.get(amount, [])


def _money(amount: float) -> list[str]:
    if amount != int(amount):
        return [f"${amount:,.2f}", f"${amount:,.2f}", f"{amount:,.2f} dollars"]
    whole = int(amount)
    forms = [f"${whole:,}", f"{whole:,} dollars", f"${whole:,}.00", f"USD {whole:,}"]
    if whole >= 1000:
        forms.append(f"${whole}")
    if whole <= 100 or whole % 100 == 0:
        forms.append(f"{spelled(whole)} dollars")
    return forms


def _off(amount: int) -> list[str]:
    forms = [f"{amount}% off", f"{amount} percent off", f"{amount} per cent off"]
    return forms + (["half off"] if amount == 50 else [])


def _percent(amount: int) -> list[str]:
    return [f"{amount}%", f"{amount} percent", f"{spelled(amount)} percent"]


def _count(amount: int) -> list[str]:
    forms = [f"{amount:,}"]
    if amount <= 20 or amount % 100 == 0:
        forms.append(spelled(amount))
    if amount >= 1000:
        forms.append(str(amount))
        if amount % 1000 == 500 and amount < 20000:
            forms += [f"{spelled(amount // 1000)} and a half thousand", f"{amount / 1000} thousand"]
        elif amount % 1000 == 0:
            forms.append(f"{amount // 1000} thousand")
    return forms


def _clock(amount: int) -> list[str]:
    """Minutes since midnight."""
    hour, minute = divmod(amount, 60)
    if amount == 720:
        return ["noon", "12 noon", "12 p.m.", "12:00 p.m."]
    half = "a.m." if hour < 12 else "p.m."
    twelve = (hour - 1) % 12 + 1
    short = f"{twelve}:{minute:02}" if minute else f"{twelve}"
    part = "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
    forms = [f"{short} {half}", f"{short} {half.replace('.', '')}", f"{twelve}:{minute:02} {half}"]
    if minute == 0:
        forms += [f"{spelled(twelve)} in the {part}", f"{twelve} o'clock in the {part}"]
    elif minute == 30:
        forms.append(f"half past {spelled(twelve)} in the {part}")
    return forms + ([f"{hour}:{minute:02}"] if hour > 12 else [])


def _date(amount: tuple[int, int, int]) -> list[str]:
    year, month, day = amount
    name = MONTHS[month - 1]
    ending = "th" if 10 < day < 14 else _SUFFIXES.get(day % 10, "th")
    forms = [f"{day} {name} {year}", f"{name} {day}, {year}", f"{name} {day}{ending}, {year}"]
    if day > 12:  # otherwise it could be read the other way round
        forms.append(f"{month}/{day}/{year}")
    return [*forms, f"{year}-{month:02}-{day:02}", f"the {day}{ending} of {name} {year}"]


def _grams(amount: int) -> list[str]:
    forms = [f"{amount:,} g", f"{amount:,} grams"] if amount < 3000 else []
    if amount >= 1000:
        kilos = f"{amount / 1000:g}"
        forms += [f"{kilos} kg", f"{kilos} {'kilogram' if kilos == '1' else 'kilograms'}"]
    return forms + (["half a kilogram", "0.5 kg", "half a kilo"] if amount == 500 else [])


def _kilos(amount: int) -> list[str]:
    return [
        f"{amount} kg",
        f"{amount} kilograms",
        f"{spelled(amount)} kilograms",
        f"{amount} kilos",
    ]


def _millilitres(amount: int) -> list[str]:
    forms = [f"{amount:,} ml", f"{amount:,} millilitres"]
    odd = {500: ["half a litre", "0.5 litres"], 250: ["a quarter of a litre"], 1000: ["1 litre"]}
    litres = f"{amount / 1000:g}"
    return forms + odd.get(amount, [f"{litres} litres"] if amount > 1000 else [])


def _centimetres(amount: int) -> list[str]:
    forms = [f"{amount} cm", f"{amount} centimetres"]
    metres = f"{amount / 100:g}"
    return forms + ([f"{metres} m", f"{metres} metres"] if amount > 100 else [])


def _business_days(amount: tuple[int, int]) -> list[str]:
    low, high = amount
    first, last = spelled(low), spelled(high)
    return [
        f"{low} to {high} business days", f"{low}-{high} business days",
        f"{first} to {last} business days", f"{first} to {last} working days",
        f"{low}–{high} working days", f"{low} to {high} working days",
    ]  # fmt: skip


def _times(amount: int) -> list[str]:
    forms = [f"{amount} times a day", f"{spelled(amount)} times a day", f"{amount} times daily"]
    return {1: ["once a day", "once daily", "one time a day"],
            2: ["twice a day", "twice daily", "two times a day"]}.get(amount, forms)  # fmt: skip


def _ordinal(amount: int) -> list[str]:
    return [_ORDINALS[amount], f"{amount}{_SUFFIXES.get(amount, 'th')}"]


_FORMS: dict[str, Any] = {
    "days": _days,
    "months": _months,
    "minutes": _minutes,
    "hours": lambda n: _units(n, "hour"),
    "money": _money,
    "off": _off,
    "percent": _percent,
    "count": _count,
    "clock": _clock,
    "date": _date,
    "grams": _grams,
    "kilos": _kilos,
    "ml": _millilitres,
    "cm": _centimetres,
    "business": _business_days,
    "times": _times,
    "ordinal": _ordinal,
    "storage": lambda n: [f"{n} GB", f"{n}GB", f"{n} gigabytes"],
    "celsius": lambda n: [f"{n} °C", f"{n}°C", f"{n} degrees Celsius", f"{n} degrees C"],
    "mg": lambda n: [f"{n} mg", f"{n} milligrams", f"{n}mg"],
    "age": lambda n: [str(n), spelled(n)] if n < 21 else [str(n)],
    "year": lambda n: [str(n)],
    "name": lambda name: [name],
}


def forms(value: SupportValue) -> list[str]:
    """Every way to write the value; all mean the same."""
    return list(dict.fromkeys(_FORMS[value.kind](value.amount)))


def write(value: SupportValue, rng: random.Random, unlike: str = "") -> str:
    """The value in one of its forms, rather not in the one that the other text has."""
    ways = forms(value)
    others = [way for way in ways if way not in unlike]
    if others and rng.random() < 0.6:
        return rng.choice(others)
    # The first form is the usual one.
    return ways[0] if rng.random() < 0.4 else rng.choice(ways)


def differ(one: SupportValue, other: SupportValue) -> bool:
    """Whether a thing that has the one value cannot have the other."""
    if one.kind == "business":
        return bool(one.amount[1] < other.amount[0] or other.amount[1] < one.amount[0])
    return bool(one.amount != other.amount)
