"""Words compared for the hybrid evaluator: keywords, recall, and values that clash. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from staytrue.english.lemmas import lemma, verbs
from staytrue.english.numbers import ordinal, to_digits
from staytrue.english.word_kinds import CITIES, COUNTRIES, STATES
from staytrue.english.word_lists import function_words
from staytrue.english.wording import expand
from staytrue.metrics.hybrid.same_words import SAME

WORD = re.compile(r"\d+(?:\.\d+)?(?:st|nd|rd|th|s)?|[^\W\d_]+", re.UNICODE)


_EMPTY = frozenset("really yes yeah well oh name named called".split())


_COLOURS = frozenset(
    "black white red green blue yellow orange purple pink brown grey gray blonde blond silver gold "
    "hazel rainbow".split()
)


_HOME = re.compile(r"\b(live|lives|living|born|raised|from|grew up|grow up)\b(.*)")


_UNITS = frozenset("year time dollar ago old week day month hour minute mile buck pound".split())


# Things that have one value; "my father is tall" and "my father is a farmer" are both true.
_ATTRIBUTE = re.compile(
    r"\bmy ((?:\w+ ){0,3}?(?:name|age|birthday|hometown|fav(?:o|ou)rite(?: \w+){0,3}?)) "
    r"(?:is|are|was|were) (?:called |named )?(.+)"
)


# Two ways of saying one thing: "grade 3" is the 3rd grade, the 1990s are the 90s.
_GRADE = re.compile(r"\bgrade (\d+)\b")
_DECADE = re.compile(r"\b19(\d0s)\b")


_NEGATIONS = frozenset("not never no none nothing nobody neither without nor cannot".split())


@lru_cache(maxsize=1)
def empty_words() -> frozenset[str]:
    """Words that carry no answer; numbers, names and colours are never here."""
    return function_words() | _EMPTY


def keywords(text: str) -> list[str]:
    """The words that carry a text's content, numbers as digits, endings taken off."""
    found = tokens(text)
    return [stem(word) for word in found if word not in empty_words()] or [stem(w) for w in found]


def tokens(text: str) -> list[str]:
    """Lower-case words, contractions written out, number words as digits."""
    plain = to_digits(expand(text)).lower()
    plain = _GRADE.sub(lambda m: f"{ordinal(int(m[1]))} grade", plain)
    return [str(word) for word in WORD.findall(_DECADE.sub(r"\1", plain))]


def stem(word: str) -> str:
    """One form for the words of one thing: "dogs" and "dog", "mom" and "mother"."""
    word = lemma(SAME.get(word, word))
    if word.endswith("er") and len(word) > 5:  # "teacher" and "teach" name one thing
        word = next((verb for verb in (word[:-2], word[:-1]) if verb in verbs()), word)
    return SAME.get(word, word)


def matches(word: str, others: Sequence[str]) -> bool:
    """Whether a stemmed word is among others, a slip of one letter in a long word allowed."""
    if word in others:
        return True
    if len(word) > 5 and any(
        len(o) > 5 and (o.startswith(word) or word.startswith(o)) for o in others
    ):
        return True  # "gymnast" and "gymnastics"
    return len(word) > 5 and any(len(o) > 5 and _one_slip(word, o) for o in others)


def _one_slip(left: str, right: str) -> bool:
    if abs(len(left) - len(right)) > 1 or left[:2] != right[:2]:
        return False
    short, long_ = sorted((left, right), key=len)
    if len(short) < len(long_):
        return any(long_[:i] + long_[i + 1 :] == short for i in range(len(long_)))
    differing = [i for i in range(len(left)) if left[i] != right[i]]
    if len(differing) == 1:
        return True
    return len(differing) == 2 and left[differing[0]] == right[differing[1]]


def recall(truth: str, response: str) -> float:
    """The share of a truth's keywords in the response; the best of the alternatives by `|`."""
    plain = tokens(response)
    joined = [left + right for left, right in pairwise(plain)]  # "fire fighter" is "firefighter"
    said = [stem(word) for word in (*plain, *joined)]
    shares = []
    for alternative in truth.split("|"):
        wanted = list(dict.fromkeys(keywords(alternative)))
        numbers = [word for word in wanted if word[0].isdigit()]
        if numbers and not any(number in said for number in numbers):
            # A unit alone ("years") is no part of the answer "five years".
            said_here = [word for word in said if word not in _UNITS]
        else:
            said_here = said
        if wanted:
            shares.append(sum(matches(word, said_here) for word in wanted) / len(wanted))
    return max(shares, default=0.0)


def values_clash(fact: str, response: str) -> tuple[str, str] | None:
    """Two values of one thing: "2 dogs" and "4 dogs", "blond hair" and "red hair", two names."""
    known, said = _described(fact), _described(response)
    for thing, values in said.items():
        if thing in known and not values & known[thing]:
            return _shown(thing, known[thing]), _shown(thing, values)
    return None


def _shown(thing: tuple[str, str], values: frozenset[str]) -> str:
    return f"{' '.join(sorted(values))} ({thing[1]})"


def _described(text: str) -> dict[tuple[str, str], frozenset[str]]:
    """What the text counts, colours and names: (kind, thing) → its values."""
    found: dict[tuple[str, str], frozenset[str]] = {}
    words = tokens(text)
    for place, word in enumerate(words):
        kind = "number" if word[0].isdigit() else "colour" if word in _COLOURS else ""
        if not kind:
            continue
        for after in words[place + 1 : place + 4]:
            if after in empty_words() or after[0].isdigit():
                break
            if after not in _COLOURS and (kind == "number" or after in ("hair", "eyes", "skin")):
                key = (kind, stem(after))
                found[key] = found.get(key, frozenset()) | {stem(word)}
    for clause in re.split(r"[.!;,]| but | and (?=i\b|my\b)", expand(text).lower()):
        found |= _places(clause)
        match = _ATTRIBUTE.search(clause)
        if match and not is_negated(clause):
            owner = " ".join(stem(w) for w in tokens(match[1]))
            found["attribute", owner] = frozenset(keywords(match[2]))
    return found


def _places(clause: str) -> dict[tuple[str, str], frozenset[str]]:
    """Where someone lives or comes from, if the clause says so by a known name."""
    match = _HOME.search(clause)
    if not match or is_negated(clause):
        return {}
    who = "i" if clause.strip().startswith(("i ", "in ", "from ")) else "other"
    named = {}
    for kind, names in (("state", STATES), ("city", CITIES), ("country", COUNTRIES)):
        held = frozenset(n for n in names if re.search(rf"\b{n}\b", match[2]))
        if held:
            named[kind, f"{who} {stem(match[1])}"] = held
    return named


def is_negated(text: str) -> bool:
    """Whether the text holds a negation."""
    return bool(_NEGATIONS & set(tokens(text)))
