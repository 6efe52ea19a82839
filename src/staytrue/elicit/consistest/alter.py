"""Altered clauses whose question must be answered with "no".

Only what excludes the original is altered: a person has one age, one home town and one hair
colour, but may well hate two colours. Negated clauses are never altered.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from staytrue.elicit.consistest import verbs
from staytrue.elicit.consistest.clauses import PersonaClause
from staytrue.english import word_kinds
from staytrue.english.articles import with_article
from staytrue.english.numbers import in_words, number_in

_INEXACT = frozenset(
    "over about around almost nearly least than approximately roughly some".split()
)
_BEFORE_YEARS = frozenset("in since from of until before after a the my".split())
_HOME_VERBS = frozenset(["live", "reside", "bear", "raise", "grow", "move"])
_FEATURES = {"hair": word_kinds.HAIR_COLOURS, "eyes": word_kinds.EYE_COLOURS}


def alterations(clause: PersonaClause) -> Iterator[tuple[str, PersonaClause | str]]:
    """Each alteration's kind, with the altered clause or the ready question."""
    if any(
        word.lower() in ("also", "or", "not", "never") for word in (*clause.adverbs, *clause.rest)
    ):
        return
    for kind, words in (
        ("number", _number), ("colour", _colour), ("place", _place), ("job", _job),
        ("antonym", _antonym),
    ):  # fmt: skip
        rest = words(clause)
        if rest is not None and tuple(rest) != clause.rest:
            yield kind, replace(clause, rest=tuple(rest))
    liking = word_kinds.LIKING.get(clause.finite)
    if liking and not clause.auxiliary and not clause.adverbs and _has_one_verb(clause.rest):
        yield "antonym", replace(clause, finite=liking)
    relation = _relation(clause)
    if relation:
        yield "relation", relation


def _has_one_verb(rest: Sequence[str]) -> bool:
    """Whether the liking is of the whole rest: not "i love cats and have two cats"."""
    low = [word.lower() for word in rest]
    second = (*word_kinds.LIKING, "have", "am", "own", "live", "spend", "work", "but")
    return bool(low) and not any(
        word in ("and", "but") and after in second for word, after in pairwise(low)
    )


def _pick(options: Sequence[str], avoid: Sequence[str], salt: str) -> str:
    """One of the options, the same every time for the same statement."""
    open_ = [option for option in options if option not in avoid]
    return open_[zlib.crc32(salt.encode()) % len(open_)]


def _number(clause: PersonaClause) -> list[str] | None:
    rest = list(clause.rest)
    for index, word in enumerate(rest):
        value = number_in(word)
        if value is None or value < 2:
            continue
        before = rest[index - 1].lower() if index else ""
        after = rest[index + 1].lower() if index + 1 < len(rest) else ""
        if before in _INEXACT or after in ("or", "to", "s", "hundred", "thousand", "million"):
            return None
        if word.isdigit() and _is_year(value, before):
            rest[index] = str(value - 4)
        else:
            rest[index] = _written_like(word, _other_number(value))
        return rest
    return None


def _is_year(value: int, before: str) -> bool:
    """Whether the digits are a year, or a model of one, and not "2000 books"."""
    return 1000 <= value <= 2100 and (value % 100 > 0 or before in _BEFORE_YEARS)


def _other_number(value: int) -> int:
    if value >= 1000:  # as round as it was: 10,000 → 12,000
        return value + 2 * int("1" + "0" * (len(str(value)) - 2))
    return value * 2 if value <= 5 else value + max(3, value // 10 + 2)


def _written_like(word: str, value: int) -> str:
    if "," in word:
        return f"{value:,}"
    return str(value) if word.isdigit() else in_words(value)


def _colour(clause: PersonaClause) -> list[str] | None:
    rest = list(clause.rest)
    low = [word.lower() for word in rest]
    spots = [index for index, word in enumerate(low) if word in word_kinds.ALL_COLOURS]
    if not spots:
        return None
    spot = spots[0]
    for feature, options in _FEATURES.items():
        if feature in low[spot + 1 : spot + 3] and clause.finite in ("have", "has"):
            rest[spot] = _pick(options, [*low, "grey" if "gray" in low else ""], clause.text)
            return rest
    about = {word.lower() for word in clause.subject}
    if clause.finite in ("is", "are") and low == [low[spot]] and about & {"favorite", "favourite"}:
        rest[spot] = _pick(word_kinds.COLOURS, low, clause.text)
        return rest
    return None


def _place(clause: PersonaClause) -> list[str] | None:
    base = verbs.base_form(clause.finite)
    low = [word.lower() for word in clause.rest]
    if base == "be":
        home = low[:1] == ["from"] or low[:2] in (["born", "in"], ["raised", "in"])
        home = home or (low[:1] == ["in"] and "favorite" not in clause.subject)
    elif base == "grow":
        home = low[:2] == ["up", "in"]
    else:
        home = base in _HOME_VERBS and low[:1] in (["in"], ["from"])
    if not home or "and" in low or "but" in low:
        return None
    text = " ".join(low)
    for kind in (word_kinds.STATES, word_kinds.CITIES, word_kinds.COUNTRIES):
        for name in sorted(kind, key=len, reverse=True):
            if f" {text} ".endswith(f" {name} "):
                kept = len(low) - len(name.split())
                near = ("america", "the united states", "manhattan", "brooklyn", "new york")
                other = _pick(kind, (name, *near), clause.text)
                return [*clause.rest[:kept], *other.split()]
    return None


def _job(clause: PersonaClause) -> list[str] | None:
    low = [word.lower() for word in clause.rest]
    base = verbs.base_form(clause.finite)
    lead = 1 if base == "work" and low[:1] == ["as"] else 0
    has_article = low[lead : lead + 1] in (["a"], ["an"])
    is_job = bool(low) and low[-1] in word_kinds.JOB_HEADS and not {"and", "of"} & set(low)
    if (base == "be" or lead) and has_article and is_job:
        near = {job for word in low for job in word_kinds.RELATED_JOBS.get(word, ())}
        jobs = [job for job in word_kinds.JOBS if job not in {*low, *near} and low[-1] not in job]
        other = _pick(jobs, (), clause.text)
        return [*clause.rest[:lead], *with_article(other).split()]
    somewhere = low[:1] in (["at"], ["in"], ["for"]) and low[1:2] in (["a"], ["an"])
    workplace = " ".join(low[2:])
    if base == "work" and somewhere and workplace in word_kinds.WORKPLACES:
        other = _pick(word_kinds.WORKPLACES, (workplace,), clause.text)
        return [clause.rest[0], *with_article(other).split()]
    return None


def _antonym(clause: PersonaClause) -> list[str] | None:
    rest = list(clause.rest)
    low = [word.lower() for word in rest]
    base = verbs.base_form(clause.finite)
    if base == "be" and "and" not in low:
        if low and low[-1] in word_kinds.OPPOSITES and len(low) <= 2 and low[0] not in ("a", "so"):
            return [*rest[:-1], word_kinds.OPPOSITES[low[-1]]]
        if low and low[0] in ("older", "younger", "taller", "shorter") and "than" in low[:2]:
            return [word_kinds.OPPOSITES.get(low[0], "taller"), *rest[1:]]
        if low[:1] in (["a"], ["an"]) and low[-1] in word_kinds.OPPOSITE_NOUNS:
            noun = word_kinds.OPPOSITE_NOUNS[low[-1]]
            return [*rest[:-1], noun] if len(low) > 2 else with_article(noun).split()
    if base == "have" and "hair" in low[:4] and "and" not in low:
        for word, other in (("short", "long"), ("long", "short"), ("curly", "straight")):
            if word in low[: low.index("hair")]:
                return [other if item == word else item for item in rest]
    return None


def _relation(clause: PersonaClause) -> str | None:
    """A ready question that a partner, a sibling or a child rules out."""
    low = [word.lower() for word in clause.rest]
    subject = [word.lower() for word in clause.subject]
    base = verbs.base_form(clause.finite)
    if subject == ["i"] and base == "have" and not clause.past and low:
        head = low[2] if len(low) > 2 and low[1] in ("older", "younger", "little") else low[1:2]
        owned = {low[-1]} if len(low) <= 3 else set(head if isinstance(head, list) else [head])
        if owned & word_kinds.PARTNERS:
            return "are you single?"
        if owned & word_kinds.SIBLINGS:
            return "are you an only child?"
        if owned & word_kinds.CHILDREN and low[0] not in ("no", "zero"):
            return "are you childless?"
    if subject[:1] == ["my"] and subject[1:2] in (["husband"], ["wife"]) and not clause.past:
        return "are you single?"
    return None
