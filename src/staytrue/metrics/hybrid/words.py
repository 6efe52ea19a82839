"""Words compared for the hybrid evaluator: keywords, recall, and amounts that clash. Pure."""

from __future__ import annotations

import re
from itertools import pairwise

from staytrue.english.numbers import to_digits
from staytrue.english.word_kinds import JOB_HEADS
from staytrue.english.wording import expand
from staytrue.english.words import function_words, lemma, negations, verbs, word_pairs

WORD = re.compile(r"\d+(?:\.\d+)?(?:st|nd|rd|th|s)?|[^\W\d_]+", re.UNICODE)

# Words that name one thing.
SAME = word_pairs("same_words")


def keywords(text: str) -> list[str]:
    """The words that carry a text's content, numbers as digits, endings taken off."""
    words = tokens(text)
    content = [word for word in words if word not in function_words()]
    return [stem(word) for word in content or words]


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
    """The share of a truth's keywords in the response; the best of the alternatives by `|`."""
    plain = tokens(response)
    stems = {stem(word) for word in (*plain, *_joined(plain))}
    shares = []
    for alternative in truth.split("|"):
        wanted = _new_in_answer(keywords(alternative), question)
        if wanted:
            shares.append(sum(word in stems for word in wanted) / len(wanted))
    return max(shares, default=0.0)


def _joined(words: list[str]) -> list[str]:
    """Every two neighbours as one word: "fire fighter" is "firefighter"."""
    return [left + right for left, right in pairwise(words)]


def _new_in_answer(wanted: list[str], question: str) -> list[str]:
    """What the question does not say already is the answer, unless it says all of it."""
    asked = set(keywords(question))
    different = list(dict.fromkeys(wanted))
    return [word for word in different if word not in asked] or different


def values_clash(fact: str, response: str) -> tuple[str, str] | None:
    """Two amounts of one thing: "2 dogs" and "4 dogs"."""
    known, claims = _amounts(fact), _amounts(response)
    for thing, values in claims.items():
        if thing in known and not values & known[thing]:
            return _shown(thing, known[thing]), _shown(thing, values)
    return None


def _shown(thing: str, values: frozenset[str]) -> str:
    return f"{' '.join(sorted(values))} ({thing})"


def _amounts(text: str) -> dict[str, frozenset[str]]:
    """The numbers before each thing: "2 big dogs" counts what is big, and dogs."""
    values: dict[str, frozenset[str]] = {}
    words = tokens(text)
    for index, word in enumerate(words):
        if not word[0].isdigit() or word.endswith("s"):  # the 1960s count nothing
            continue
        for after in words[index + 1 : index + 4]:
            if after in function_words() or after[0].isdigit():
                break
            values[stem(after)] = values.get(stem(after), frozenset()) | {stem(word)}
    return values


def is_negated(text: str) -> bool:
    """Whether the text holds a negation."""
    return bool(negations() & set(tokens(text)))
