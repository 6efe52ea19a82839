"""Number words ↔ digits: "twenty one" → "21", "third" → "3rd", "nineteen ninety two" → "1992"."""

from __future__ import annotations

import re
from dataclasses import dataclass

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_CARDINALS = {word: value for value, word in enumerate(_UNITS)}
_CARDINALS |= {word: 10 * (n + 2) for n, word in enumerate(_TENS)} | {"fourty": 40}
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12,
    **{f"{_UNITS[n]}th": n for n in (4, 6, 7, 10, 11, 13, 14, 15, 16, 17, 18, 19)},
    **{word[:-1] + "ieth": 10 * (n + 2) for n, word in enumerate(_TENS)},
}  # fmt: skip
DECADES = {word[:-1] + "ies": f"{10 * (n + 2)}s" for n, word in enumerate(_TENS)}
ORDINAL_SCALES = {"hundredth": 100, "thousandth": 10**3, "millionth": 10**6}
NUMBER_WORDS = frozenset({*_CARDINALS, *SCALES, *ORDINALS, *ORDINAL_SCALES, "hundred", "dozen"})

# A number glued to a word ("5cats", "60years") is two tokens; "3rd" and "80s" stay whole.
_GLUED = re.compile(r"\b(\d+)(?!(?:st|nd|rd|th|s|k|m|am|pm)\b)([a-z]{2,})\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"\b(\d{1,3}(?:,\d{3})+)\b")
_SHORT_SCALE = re.compile(r"\b(\d+(?:\.\d+)?)(k|m)\b", re.IGNORECASE)
_DECADE = re.compile(rf"\b(?:(1[5-9]|20) )?({'|'.join(DECADES)})\b", re.IGNORECASE)
_TOKEN = re.compile(r"\d+(?:\.\d+)?(?:st|nd|rd|th)?|[^\W\d_]+(?:['’][^\W\d_]+)?|\s+|.", re.DOTALL)


LONGEST_PHRASE = 16
"""More words than any number phrase has; a bound keeps "a a a a …" linear."""


@dataclass(frozen=True, slots=True)
class NumberPhrase:
    """A number phrase that was read, and how many words it took."""

    value: float
    length: int
    ordinal: bool = False


def to_digits(text: str) -> str:
    """The text with every number phrase as digits; everything else stays as it is."""
    text = _THOUSANDS.sub(lambda m: m[1].replace(",", ""), text)
    text = _SHORT_SCALE.sub(_expand_short_scale, text)
    text = _GLUED.sub(r"\1 \2", text)
    pieces = _TOKEN.findall(text)
    out: list[str] = []
    at = 0
    while at < len(pieces):
        phrase, spots = _phrase_from(pieces, at)
        reading = read_number(phrase)
        if reading:
            out.append(_written(reading))
            at = spots[reading.length - 1] + 1
        else:
            out.append(pieces[at])
            at += 1
    return _DECADE.sub(lambda m: (m[1] or "") + DECADES[m[2].lower()], "".join(out))


def number_in(text: str) -> int | None:
    """The one whole number that the text is, as digits or in words; None if it is not one."""
    digits = to_digits(text).strip()
    return int(digits) if digits.isdigit() else None


def in_words(value: int) -> str:
    """A whole number from 0 to 999,999,999 in words: 21 → "twenty-one"."""
    for scale, size in (("million", 10**6), ("thousand", 10**3), ("hundred", 100)):
        if value >= size:
            rest = value % size
            return f"{in_words(value // size)} {scale}" + (f" {in_words(rest)}" if rest else "")
    if value < 20:
        return _UNITS[value]
    tens = _TENS[value // 10 - 2]
    return tens if value % 10 == 0 else f"{tens}-{_UNITS[value % 10]}"


def _expand_short_scale(match: re.Match[str]) -> str:
    return _plain(float(match[1]) * (1000 if match[2].lower() == "k" else 10**6))


def _phrase_from(pieces: list[str], at: int) -> tuple[list[str], list[int]]:
    """The words that may belong to one number phrase starting here, and where they stand."""
    phrase: list[str] = []
    spots: list[int] = []
    while at < len(pieces) and len(phrase) < LONGEST_PHRASE:
        piece = pieces[at].lower()
        if piece in NUMBER_WORDS or piece in ("and", "a", "oh", "o", "half") or _is_plain(piece):
            phrase.append(piece)
            spots.append(at)
        elif not (phrase and (piece.isspace() or piece == "-")):
            break
        at += 1
    return phrase, spots


def _is_plain(piece: str) -> bool:
    return bool(re.fullmatch(r"\d+(\.\d+)?", piece))


def read_number(words: list[str]) -> NumberPhrase | None:
    """The longest number phrase at the start of lower-case words and plain digits."""
    if not words or words[0] in ("and", "oh", "o"):
        return None
    if words[0] == "half":
        scale = {**SCALES, "dozen": 12}.get(words[2]) if words[1:2] == ["a"] and words[2:] else None
        return NumberPhrase(scale / 2, 3) if scale else None
    if words[0] == "a":
        if words[1:2] and words[1] in ("hundred", "thousand", "million", "dozen"):
            return read_number(["one", *words[1:]])
        return None
    return _read_halves(words) or _read_year(words) or _read_sum(words)


def _read_halves(words: list[str]) -> NumberPhrase | None:
    """Millions are counted in halves: "two and a half million"."""
    whole = _below_hundred(words)
    if whole is None or whole.ordinal or whole.value >= 1000:
        return None
    at = whole.length
    for half in (["and", "a", "half"], ["and", "half", "a"], ["and", "half"]):
        after = at + len(half)
        if words[at:after] == half and after < len(words) and words[after] in SCALES:
            return NumberPhrase((whole.value + 0.5) * SCALES[words[after]], after + 1)
    return None


def _read_year(words: list[str]) -> NumberPhrase | None:
    """Years are said in two halves: "nineteen ninety two", "twenty eleven", "nineteen oh five"."""
    century = _CARDINALS.get(words[0], 0)
    if not 10 <= century <= 20 or len(words) < 2:
        return None
    if words[1] in ("oh", "o") and len(words) > 2 and 1 <= _CARDINALS.get(words[2], 0) <= 9:
        return NumberPhrase(century * 100 + _CARDINALS[words[2]], 3)
    rest = _below_hundred(words[1:])
    if rest and not rest.ordinal and rest.value >= 10:
        after = words[1 + rest.length : 2 + rest.length]
        if not after or after[0] not in (*SCALES, "hundred"):
            return NumberPhrase(century * 100 + rest.value, 1 + rest.length)
    return None


def _below_hundred(words: list[str]) -> NumberPhrase | None:
    if not words:
        return None
    if words[0] in ORDINALS:
        return NumberPhrase(ORDINALS[words[0]], 1, ordinal=True)
    if words[0] not in _CARDINALS:
        return NumberPhrase(float(words[0]), 1) if _is_plain(words[0]) else None
    value = _CARDINALS[words[0]]
    if value >= 20 and len(words) > 1:
        if 1 <= _CARDINALS.get(words[1], 0) <= 9:
            return NumberPhrase(value + _CARDINALS[words[1]], 2)
        if 1 <= ORDINALS.get(words[1], 0) <= 9:
            return NumberPhrase(value + ORDINALS[words[1]], 2, ordinal=True)
    return NumberPhrase(value, 1)


def _read_sum(words: list[str]) -> NumberPhrase | None:
    total = 0.0
    at = 0
    ceiling = float("inf")  # scales must fall: "two thousand three hundred", not the reverse
    while at < len(words):
        start = at
        joined = at > 0 and words[at] == "and"
        part = _below_thousand(words[at + joined :])
        if part is None:
            break
        at += joined + part.length
        value, ordinal = part.value, part.ordinal
        scale = SCALES.get(words[at]) if at < len(words) and not ordinal else None
        scale = scale or (ORDINAL_SCALES.get(words[at], 0) if at < len(words) else 0)
        if scale:
            ordinal = words[at] in ORDINAL_SCALES
            value *= scale
            at += 1
        if value >= ceiling or (start and not total):
            at = start
            break
        total += value
        ceiling = scale or 0
        if ordinal:
            return NumberPhrase(total, at, ordinal=True)
        if not scale:
            break
    return NumberPhrase(total, at) if at else None


def _below_thousand(words: list[str]) -> NumberPhrase | None:
    head = _below_hundred(words)
    if head is None or head.ordinal:
        return head
    at = head.length
    if words[at : at + 1] == ["dozen"]:
        return NumberPhrase(head.value * 12, at + 1)
    if words[at : at + 1] == ["hundredth"]:
        return NumberPhrase(head.value * 100, at + 1, ordinal=True)
    if words[at : at + 1] != ["hundred"]:
        return head
    at += 1
    joined = words[at : at + 1] == ["and"]
    rest = _below_hundred(words[at + joined :])
    if rest is None or _is_plain(words[at + joined]):
        return NumberPhrase(head.value * 100, at)
    return NumberPhrase(head.value * 100 + rest.value, at + joined + rest.length, rest.ordinal)


def _written(reading: NumberPhrase) -> str:
    return ordinal(int(reading.value)) if reading.ordinal else _plain(reading.value)


def ordinal(value: int) -> str:
    """A whole number's place in a row: 3 → "3rd"."""
    last_two = value % 100
    ending = "th" if 11 <= last_two <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(last_two % 10, "th")
    return f"{value}{ending}"


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:g}"
