"""Words compared for the hybrid evaluator: keywords, recall, and values that clash. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from staytrue.english.numbers import to_digits
from staytrue.english.parses import proper_names
from staytrue.english.word_kinds import ALL_COLOURS, CITIES, COUNTRIES, JOB_HEADS, STATES
from staytrue.english.wording import expand
from staytrue.english.words import function_words, lemma, negations, verbs, word_pairs

WORD = re.compile(r"\d+(?:\.\d+)?(?:st|nd|rd|th|s)?|[^\W\d_]+", re.UNICODE)


_EMPTY = frozenset("really yes yeah well oh name named called".split())


_COLOURS = ALL_COLOURS | {"hazel"}
# Words that name one thing.
SAME = word_pairs("same_words")


_HOME = re.compile(r"\b(live|lives|living|born|raised|from|grew up|grow up)\b(.*)")


_BEFORE_PLACES = frozenset("in from at near downtown beautiful sunny".split())


_UNITS = frozenset("year time dollar ago old week day month hour minute mile buck pound".split())


@lru_cache(maxsize=1)
def empty_words() -> frozenset[str]:
    """Words that carry no answer; numbers, names and colours are never here."""
    return function_words() | _EMPTY


def keywords(text: str) -> list[str]:
    """The words that carry a text's content, numbers as digits, endings taken off."""
    words = tokens(text)
    return [stem(word) for word in words if word not in empty_words()] or [stem(w) for w in words]


def tokens(text: str) -> list[str]:
    """Lower-case words, contractions written out, number words as digits."""
    plain = to_digits(expand(text)).lower()
    return [str(word) for word in WORD.findall(plain)]


def stem(word: str) -> str:
    """One form for the words of one thing: "dogs" and "dog", "mom" and "mother"."""
    word = lemma(SAME.get(word, word))
    if word in JOB_HEADS and word.endswith("er"):  # "teacher" and "teach" name one thing
        word = next((verb for verb in (word[:-2], word[:-1]) if verb in verbs()), word)
    return SAME.get(word, word)


def recall(truth: str, response: str, question: str = "") -> float:
    """The share of a truth's keywords in the response; the best of the alternatives by `|`.

    A keyword that the question has already is no part of the answer, unless all of them are.
    """
    asked = set(keywords(question))
    plain = tokens(response)
    joined = [left + right for left, right in pairwise(plain)]  # "fire fighter" is "firefighter"
    stems = [stem(word) for word in (*plain, *joined)]
    shares = []
    for alternative in truth.split("|"):
        truth_words = list(dict.fromkeys(keywords(alternative)))
        wanted = [word for word in truth_words if word not in asked] or truth_words
        numbers = [word for word in wanted if word[0].isdigit()]
        if numbers and not any(number in stems for number in numbers):
            # A unit alone ("years") is no part of the answer "five years".
            countable = [word for word in stems if word not in _UNITS]
        else:
            countable = stems
        if wanted:
            shares.append(sum(word in countable for word in wanted) / len(wanted))
    return max(shares, default=0.0)


def values_clash(fact: str, response: str) -> tuple[str, str] | None:
    """Two values of one thing: "2 dogs" and "4 dogs", "blond hair" and "red hair", two names."""
    known, claims = _described(fact), _described(response)
    for thing, values in claims.items():
        if thing in known and not values & known[thing]:
            return _shown(thing, known[thing]), _shown(thing, values)
    return None


def _shown(thing: tuple[str, str], values: frozenset[str]) -> str:
    return f"{' '.join(sorted(values))} ({thing[1]})"


def _described(text: str) -> dict[tuple[str, str], frozenset[str]]:
    """What the text counts, colours and names: (kind, thing) → its values."""
    values: dict[tuple[str, str], frozenset[str]] = {}
    words = tokens(text)
    for index, word in enumerate(words):
        counts = word[0].isdigit() and not word.endswith("s")  # the 1960s count nothing
        kind = "number" if counts else "colour" if word in _COLOURS else ""
        if not kind:
            continue
        for after in words[index + 1 : index + 4]:
            if after in empty_words() or after[0].isdigit():
                break
            if after not in _COLOURS and (kind == "number" or after in ("hair", "eyes", "skin")):
                key = (kind, stem(after))
                values[key] = values.get(key, frozenset()) | {stem(word)}
    for clause in re.split(r"[.!;,]| but | and (?=i\b|my\b)", expand(text), flags=re.IGNORECASE):
        values |= _places(clause)
    return values


def _places(clause: str) -> dict[tuple[str, str], frozenset[str]]:
    """Where someone lives or comes from, if the clause says so by a name."""
    match = _HOME.search(clause.lower())
    if not match or is_negated(clause):
        return {}
    who = "i" if clause.lower().strip().startswith(("i ", "in ", "from ")) else "other"
    what = f"{who} {stem(match[1])}"
    named = {}
    for kind, names in (("state", STATES), ("city", CITIES), ("country", COUNTRIES)):
        held = frozenset(n for n in names if re.search(rf"\b{n}\b", match[2]))
        if held:
            named[kind, what] = held
    if not named and (other := _other_place(clause[match.start(2) :])):
        named["city", what] = frozenset({other})
    return named


def _other_place(after: str) -> str:
    """The name right behind "in", "from" or the verb itself: a place that no list has."""
    words = WORD.findall(after)
    while words and words[0].lower() in _BEFORE_PLACES:
        words = words[1:]
    if not words or not (words[0][0].isupper() or words[0].lower() in proper_names()):
        return ""
    return str(words[0]).lower()


def is_negated(text: str) -> bool:
    """Whether the text holds a negation."""
    return bool(negations() & set(tokens(text)))
