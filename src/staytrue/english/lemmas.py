"""The dictionary form of a word without a parse: "bees" → "bee", "went" → "go", "making" → "make".

Irregular forms and verbs come from WordNet's tables; regular endings are cut by rule. A word that
is a form of both a verb and a noun becomes the verb ("lives" → "live"), and comparatives stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from staytrue.english.word_lists import word_list, word_pairs

_KEPT = 1 << 14


@lru_cache(maxsize=_KEPT)
def lemma(word: str) -> str:
    """The dictionary form, in lower case; a word that is not known is cut by rule."""
    form = word.lower().replace("’", "'")
    while (cut := _without_ending(form)) != form:
        form = cut  # "possessives's": a lemma has no ending left
    return form


def _without_ending(form: str) -> str:
    low = form.removesuffix("'s")
    irregular = _irregular()
    if low in irregular:
        return irregular[low]
    if low in verbs() or low in word_list("final_s"):
        return low
    for candidate in regular_verbs(low):
        if candidate in verbs() and candidate not in irregular:
            return candidate
    cut = singular_by_rule(low)
    return low if cut in irregular else cut


def verbs() -> frozenset[str]:
    """The base forms of verbs."""
    return word_list("verbs")


def _irregular() -> Mapping[str, str]:
    return word_pairs("irregular_forms")


def regular_verbs(word: str) -> list[str]:
    """The base forms that a verb's regular endings allow, the likeliest first."""
    if word.endswith(("ies", "ied")):
        return [f"{word[:-3]}y", word[:-1]]
    if word.endswith(("oes", "ses", "xes", "zes", "ches", "shes")):
        return [word[:-1], word[:-2]]
    if word.endswith("s"):
        return [word[:-1]] if not word.endswith("ss") else []
    for ending in ("ing", "ed"):
        if word.endswith(ending):
            bare = word[: -len(ending)]
            if len(bare) > 2 and bare[-1] == bare[-2]:
                return [bare[:-1], bare, f"{bare}e"]
            return [f"{bare}e", bare]
    return []


def singular_by_rule(word: str) -> str:
    """A noun without the regular ending of the plural, if it has one."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    return word[:-1]
