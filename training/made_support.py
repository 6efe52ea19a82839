"""Entailment pairs like the answers of support bots, assistants with documents, and personas.

A document holds a few facts of one theme; an answer says one of them in other words and other
notations (entailment), with something changed (contradiction), or says what the document leaves
open (neutral). What is partly right and partly open is `not_entailment`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from training import support_words as words
from training.support_facts import (
    FAMILIES,
    OPPOSITES,
    THEMES,
    TITLES,
    UNSAID,
    Family,
    Listed,
    Related,
    Ruled,
    Valued,
)
from training.support_personas import persona_pair
from training.support_values import MONTHS, SupportValue, differ, write
from training.support_words import capitalised, fill, lowered, shortened, stopped

_COMMAND = re.compile(r"(?:add|pour|stir|weigh|bake|let|take|founded)\b")
_SHARES = {"entailment": 45, "neutral": 20, "contradiction": 35}
_THEMES = sorted(THEMES)
_SOURCE = "made_support"


@dataclass(frozen=True)
class StatedFact:
    """One thing that a document says, in the words that it says it in."""

    family: Family
    key: str
    value: Any  # Value, bool, the items of a list, or the two names of a relation
    sentence: str
    mode: str = ""  # for rules and lists: how the fact was said


@dataclass
class Document:
    company: str
    names: words.Names
    facts: list[StatedFact] = field(default_factory=list)

    def beside(self, fact: StatedFact) -> list[StatedFact]:
        """The other facts of the same kind."""
        return [other for other in self.facts if other.family is fact.family and other is not fact]


def _amount(family: Valued, names: words.Names, rng: random.Random) -> SupportValue:
    if family.pool == "@date":
        day = (rng.choice([2023, 2024, 2024, 2025]), rng.randint(1, 12), rng.randint(1, 28))
        return SupportValue(family.kind, day)
    if isinstance(family.pool, str):
        return SupportValue(family.kind, names.draw(family.pool))
    return SupportValue(family.kind, rng.choice(family.pool))


def _unlike(
    family: Valued, taken: list[SupportValue], names: words.Names, rng: random.Random
) -> SupportValue:
    """A value that none of the taken ones can be."""
    for _ in range(60):
        value = _amount(family, names, rng)
        if all(differ(value, other) for other in taken):
            return value
    raise ValueError(f"no other value than {taken}")


def _listing(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _facts(
    family: Family, keys: list[str], document: Document, rng: random.Random
) -> list[StatedFact]:
    """What a document says of the keys, each with a value that the others do not have."""
    made: list[StatedFact] = []
    company = document.company
    if isinstance(family, Related):
        count = rng.choice([1, 1, 2]) if family.many else 1
        for _ in range(count):
            pair = (document.names.draw(family.names), document.names.draw(family.names))
            sentence = fill(family.doc, rng, a=pair[0], b=pair[1])
            made.append(StatedFact(family, " ".join(pair), pair, sentence))
        return made
    if isinstance(family, Ruled):
        modes = [mode for mode in ("all_but", "only") if getattr(family, mode)]
        if modes and rng.random() < 0.3:
            mode = rng.choice(modes)
            sentence = fill(getattr(family, mode), rng, k=keys[0], s=company)
            return [StatedFact(family, keys[0], mode == "only", sentence, mode)]
        so = rng.random() < 0.5
        for key in keys:
            forms = family.yes if so else family.no
            made.append(StatedFact(family, key, so, fill(forms, rng, k=key, s=company)))
            so = not so if rng.random() < 0.75 else so
        return made
    if isinstance(family, Listed):
        items = rng.sample(family.items, len(family.items))
        for number, key in enumerate(keys[:2]):
            own = items[number * 3 : number * 3 + rng.choice([2, 3])]
            mode = rng.choice(["closed", "open"])
            sentence = fill(getattr(family, mode), rng, k=key, l=_listing(own), s=company)
            made.append(StatedFact(family, key, tuple(own), sentence, mode))
        return made
    taken: list[SupportValue] = []
    for key in keys:
        value = _unlike(family, taken, document.names, rng)
        taken.append(value)
        sentence = fill(family.doc, rng, k=key, v=write(value, rng), s=company)
        made.append(StatedFact(family, key, value, sentence))
    return made


def _document(rng: random.Random) -> tuple[str, Document]:
    theme = rng.choice(_THEMES)
    names = words.Names(rng)
    document = Document(names.draw("@company"), names)
    families = [family for family in FAMILIES if family.theme == theme]
    pools = {_keys(family) for family in families if isinstance(_keys(family), str)} - {""}
    single = sorted(pool for pool in pools if sum(_keys(f) == pool for f in families) > 1)
    # Either several facts about one thing, or several things that have the same kind of fact.
    about = rng.choice(single) if single and rng.random() < 0.4 else ""
    if about:
        families = [family for family in families if _keys(family) == about]
    chosen = rng.sample(families, min(len(families), rng.choice([1, 2, 2, 3, 4])))
    things = {pool: [names.draw(pool) for _ in range(3)] for pool in sorted(pools)}
    for family in chosen:
        keys = _keys(family)
        count = 1 if about else rng.choice([1, 2, 2, 3])
        if isinstance(keys, str):
            drawn = things.get(keys, [])[:count]
        else:
            drawn = rng.sample(keys, min(count, len(keys)))
        document.facts += _facts(family, drawn, document, rng)
    rng.shuffle(document.facts)
    del document.facts[rng.choice([1, 2, 3, 3, 4, 4, 5, 6, 7, 8]) :]
    return theme, document


def _keys(family: Family) -> Any:
    return "" if isinstance(family, Related) else family.keys


def _month(value: SupportValue) -> str:
    return f"{MONTHS[value.amount[1] - 1]} {value.amount[0]}"


def _say(fact: StatedFact, forms: Sequence[str], document: Document, rng: random.Random,
         value: SupportValue | None = None, **slots: str) -> str:  # fmt: skip
    if value is None and isinstance(fact.value, SupportValue):
        value = fact.value
    if value is not None:
        slots["v"] = write(value, rng, unlike=fact.sentence)
    return fill(forms, rng, k=fact.key, s=document.company, **slots)


def _true(fact: StatedFact, document: Document, rng: random.Random) -> tuple[str, bool | None]:
    """Something that follows from the fact, and whether it is a yes or a no."""
    family = fact.family
    if isinstance(family, Related):
        a, b = fact.value
        denials = [OPPOSITES[form] for form in family.wrong if form in OPPOSITES]
        forms = denials if denials and rng.random() < 0.15 else family.bot
        return fill(forms, rng, a=a, b=b), None
    if isinstance(family, Ruled):
        key, so = fact.key, bool(fact.value)
        if fact.mode and rng.random() < 0.5:
            key = rng.choice([other for other in family.keys if other != key])
            so = not so
        return fill(family.yes if so else family.no, rng, k=key, s=document.company), so
    if isinstance(family, Listed):
        if fact.mode == "closed" and rng.random() < 0.35:
            return _say(fact, family.lacks, document, rng, i=_outsider(fact, rng)), False
        forms = [form for form in family.one if not form.startswith("{i}")]
        if rng.random() < 0.35:
            shuffled = rng.sample(fact.value, len(fact.value))
            return _say(fact, forms, document, rng, i=_listing(shuffled)), True
        return _say(fact, family.one, document, rng, i=rng.choice(fact.value)), True
    return _valued(fact, family, document, rng, right=True), None


def _false(fact: StatedFact, document: Document, rng: random.Random) -> tuple[str, bool | None]:
    """Something that cannot be if the fact is so."""
    family = fact.family
    if isinstance(family, Related):
        a, b = fact.value
        roll = rng.random()
        if roll < 0.25 and family.wrong:
            return fill(family.wrong, rng, a=a, b=b), None
        if roll < 0.5 and family.single:
            others = [name for other in document.beside(fact) for name in other.value]
            other = rng.choice(others) if others else document.names.draw(family.names)
            return fill(family.bot, rng, a=other, b=b), None
        return fill(family.bot, rng, a=b, b=a), None
    if isinstance(family, Ruled):
        key, so = fact.key, bool(fact.value)
        if fact.mode and rng.random() < 0.5:
            key = rng.choice([other for other in family.keys if other != key])
            so = not so
        return fill(family.no if so else family.yes, rng, k=key, s=document.company), not so
    if isinstance(family, Listed):
        roll = rng.random()
        if fact.mode == "closed" and roll < 0.45:
            # What the other thing has, rather than what nothing has.
            theirs = [item for other in document.beside(fact) for item in other.value]
            item = rng.choice(theirs) if theirs else _outsider(fact, rng)
            return _say(fact, family.one, document, rng, i=item), True
        item = rng.choice(fact.value)
        if roll < 0.75:
            return _say(fact, family.lacks, document, rng, i=item), False
        return _say(fact, family.sole, document, rng, i=item), True
    return _valued(fact, family, document, rng, right=False), None


def _outsider(fact: StatedFact, rng: random.Random) -> str:
    assert isinstance(fact.family, Listed)
    return rng.choice([item for item in fact.family.items if item not in fact.value])


def _valued(
    fact: StatedFact, family: Valued, document: Document, rng: random.Random, right: bool
) -> str:
    """A statement about the value of a thing, right or wrong."""
    value, beside = fact.value, document.beside(fact)
    ways = ["bot"] * 6
    if family.below:
        ways.append("bound")
    if family.less and beside:
        ways += ["compare"] * 2
    if family.wrong:
        ways.append("wrong")
    if family.vague:
        ways += ["vague"] * 2
    if family.floor or family.ceiling:
        ways += ["limit"] * 2
    way = rng.choice(ways)
    if way == "wrong" and right:
        denials = [OPPOSITES[form] for form in family.wrong if form in OPPOSITES]
        way = way if denials else "bot"
        if denials:
            return _say(fact, denials, document, rng)
    if way == "wrong":
        return _say(fact, family.wrong, document, rng)
    if way == "compare":
        other = rng.choice(beside)
        forms = family.less if (value.amount < other.value.amount) == right else family.more
        return _say(fact, forms, document, rng, j=other.key)
    wrong = _unlike(family, [value], document.names, rng)
    if way == "bound":
        forms = family.below if (value.amount < wrong.amount) == right else family.above
        return _say(fact, forms, document, rng, b=write(wrong, rng))
    if way == "vague":
        month = _month(value)
        while not right and month == _month(value):
            month = _month(_amount(family, document.names, rng))
        return _say(fact, family.vague, document, rng, m=month)
    if way == "limit":
        forms = family.floor or family.ceiling
        if right:
            return _say(fact, forms, document, rng)
        # Nobody under 12 is right as well where nobody under 16 is.
        if (wrong.amount > value.amount) == bool(family.floor):
            return _say(fact, forms, document, rng, value=wrong)
    if right:
        return _say(fact, family.bot, document, rng)
    if beside and rng.random() < 0.6:
        wrong = rng.choice(beside).value
    return _say(fact, family.bot, document, rng, value=wrong)


def _open(theme: str, document: Document, rng: random.Random) -> tuple[str, str]:
    """Something that the document leaves open, and its label."""
    roll = rng.random()
    if roll < 0.12:
        return rng.choice(UNSAID[theme]), "neutral"
    used = [fact.family for fact in document.facts]
    if roll < 0.75:  # the same question about another thing
        fact = rng.choice(document.facts)
        family = fact.family
        if isinstance(family, Related):
            if not family.single:
                other = document.names.draw(family.names)
                return fill(family.bot, rng, a=other, b=fact.value[1]), "not_entailment"
            if family.many:
                return _made_up(family, document, rng), "neutral"
        if isinstance(family, Listed) and fact.mode == "open":
            item = _outsider(fact, rng)
            forms = family.one if rng.random() < 0.7 else family.lacks
            return _say(fact, forms, document, rng, i=item), "neutral"
        settled = isinstance(family, Ruled) and bool(fact.mode)
        settled = settled or isinstance(family, Related)  # there is one final only
        settled = settled or len(document.beside(fact)) + 1 == len(_keys(family))
        if not settled:
            return _made_up(family, document, rng), "neutral"
    missing = [family for family in FAMILIES if family.theme == theme and family not in used]
    if not missing:
        return rng.choice(UNSAID[theme]), "neutral"
    return _made_up(rng.choice(missing), document, rng), "neutral"


def _made_up(family: Family, document: Document, rng: random.Random) -> str:
    """A statement of the family about a thing that the document does not speak of."""
    if isinstance(family, Related):
        a, b = document.names.draw(family.names), document.names.draw(family.names)
        return fill(family.bot, rng, a=a, b=b)
    told = {fact.key for fact in document.facts if fact.family is family}
    if isinstance(family.keys, str):
        # Another thing, or one of the document's whose value it does not tell.
        known = {f.key for f in document.facts if _keys(f.family) == family.keys} - told
        key = rng.choice(sorted(known)) if known else document.names.draw(family.keys)
    else:
        key = rng.choice(sorted(set(family.keys) - told))
    if isinstance(family, Ruled):
        return fill(family.yes if rng.random() < 0.5 else family.no, rng, k=key, s=document.company)
    if isinstance(family, Listed):
        return fill(family.one, rng, k=key, i=rng.choice(family.items), s=document.company)
    # The value of a neighbour makes it look right.
    values = [fact.value for fact in document.facts if fact.family is family]
    value = rng.choice(values) if values and rng.random() < 0.5 else None
    value = value or _amount(family, document.names, rng)
    forms = family.bot
    # Forms that are always right or wrong of what the document tells must not give it away;
    # but "all items can be returned" settles them.
    if rng.random() < 0.4 and not any(
        isinstance(f.family, Ruled) and f.mode for f in document.facts
    ):
        denials = tuple(OPPOSITES[form] for form in family.wrong if form in OPPOSITES)
        forms = family.wrong + denials + family.below + family.above or forms
    written = write(value, rng)
    return fill(forms, rng, k=key, v=written, b=written, s=document.company)


def _it(document: Document) -> bool:
    """Whether the document is about one thing, which `it` can stand for."""
    keys = {fact.key for fact in document.facts}
    return len(keys) == 1 and bool(re.match(r"(?:the|an?) |[A-Z]", min(keys)))


def _premise(theme: str, document: Document, rng: random.Random, named: bool = False) -> str:
    """The facts as the sentences of a document, now and then two in one."""
    texts: list[str] = []
    last: Family | None = None
    plain = theme not in {"company", "sport"}
    alone = _it(document)
    for fact in document.facts:
        sentence = fact.sentence
        if alone and texts and sentence.startswith(fact.key) and rng.random() < 0.5:
            sentence = "it" + sentence[len(fact.key) :]
        if plain and rng.random() < 0.06 and ": " not in sentence:
            sentence = rng.choice(words.NOTES) + sentence
        elif texts and rng.random() < 0.12 and ":" not in sentence + texts[-1]:
            like = fact.family is last and not _COMMAND.match(sentence)
            links = ["; ", ", while ", ", and ", ", whereas "]
            sentence = texts.pop() + rng.choice(links if like else links[:1]) + sentence
        last = fact.family
        texts.append(sentence)
    if named or (len(texts) < 8 and rng.random() < 0.15):
        texts.insert(0, f"{document.company} is {TITLES[theme]}")
    return " ".join(stopped(capitalised(text)) for text in texts)


def _wrapped(text: str, rng: random.Random) -> str:
    """A statement as a chatbot would say it."""
    opener = rng.choice(words.OPENERS) if rng.random() < 0.3 else ""
    closer = rng.choice(words.CLOSERS) if rng.random() < 0.15 else ""
    if re.match(r"(?:Yes|No), ", text) and opener[-2:] != "! ":
        opener = ""
    whole = opener + (text if opener and opener[-2] not in "!." else capitalised(text))
    return stopped(whole) + closer


def _joined(parts: list[str], rng: random.Random) -> str:
    rng.shuffle(parts)
    link = rng.choice([", and ", ", and ", ". ", ". Also, ", "; "])
    first, second = parts
    if link[0] == ".":
        first = first.removesuffix(".")
    return f"{first}{link}{capitalised(second) if link == '. ' else second}"


def _answer(label: str, theme: str, document: Document, rng: random.Random) -> tuple[str, str]:
    """An answer with that label, and the label, which may come out as `not_entailment`."""
    fact = rng.choice(document.facts)
    others = [other for other in document.facts if other is not fact]
    if label == "neutral":
        text, label = _open(theme, document, rng)
        if rng.random() < 0.25:
            right, _ = _true(fact, document, rng)
            return _joined([right, text], rng), "not_entailment"
        return text, label
    entailed = label == "entailment"
    roll = rng.random()
    if roll < 0.04:  # a denial of the opposite
        text, _ = (_false if entailed else _true)(fact, document, rng)
        return rng.choice(words.DENIALS) + text, label
    text, positive = (_true if entailed else _false)(fact, document, rng)
    if roll < 0.07:
        return rng.choice(words.AFFIRMATIONS) + text, label
    if roll < 0.24 and others:
        more, _ = _true(rng.choice(others), document, rng)
        return (_joined([text, more], rng) if more != text else text), label
    if positive is not None and rng.random() < 0.35:
        text = ("Yes, " if positive else "No, ") + text
    elif (
        isinstance(fact.value, SupportValue)
        and text.startswith(fact.key)
        and _it(document)
        and rng.random() < 0.35
    ):
        text = "it" + text[len(fact.key) :]
    return text, label


def _document_pair(label: str, rng: random.Random) -> tuple[str, str, str]:
    """A document, an answer, and the label that it came out with."""
    theme, document = _document(rng)
    text, label = _answer(label, theme, document, rng)
    told = any(document.company in fact.sentence for fact in document.facts)
    premise = _premise(theme, document, rng, named=document.company in text and not told)
    hypothesis = _wrapped(shortened(text, rng), rng)
    if rng.random() < 0.1:
        premise, hypothesis = lowered(premise), lowered(hypothesis)
    return premise, hypothesis, label


def support_pairs(seed: int, wanted: int) -> Iterator[dict[str, Any]]:
    """Documents with answers, and personas with lines, one pair each."""
    rng = random.Random(f"support {seed}")
    for _ in range(wanted):
        (label,) = rng.choices(list(_SHARES), list(_SHARES.values()))
        make = persona_pair if rng.random() < 0.12 else _document_pair
        premise, hypothesis, label = make(label, rng)
        yield {"premise": premise, "hypothesis": hypothesis, "label": label, "source": _SOURCE}
