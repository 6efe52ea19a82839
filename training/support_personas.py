"""Pairs of what a bot has said of itself and what it says later.

The lines of personas, and what agrees with them or does not, are in the table `personas`.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from training.support import table
from training.support_words import fill, lowered, shortened, stopped

Forms = tuple[str, ...]


@dataclass(frozen=True)
class Trait:
    """Something of a person with one value of the pool; `wrong` is false whatever the value."""

    pool: Forms
    doc: Forms
    bot: Forms
    wrong: Forms = ()
    single: bool = True  # whether no other value can be true besides
    free: bool = True  # whether its wrong lines say nothing about other traits
    less: Forms = ()  # what follows, but would be possible with other values, too


_TABLE = table("personas")
POOLS: dict[str, Forms] = _TABLE["pools"]
TRAITS = tuple(
    Trait(**{**fields, "pool": POOLS.get(fields["pool"], fields["pool"])})
    for fields in _TABLE["traits"]
)
# One of each pair of traits only: they could not both be drawn.
EXCLUDES: tuple[tuple[int, int], ...] = _TABLE["excludes"]
STRAY: Forms = _TABLE["stray"]
TALK: Forms = _TABLE["talk"]
_SELF = re.compile(r"\bi\b")
_START = re.compile(r"(?:^|(?<=[.!?] ))[a-z]")
_PROPER = re.compile(rf"\b(?:{'|'.join(_TABLE['proper'])})\b")


def persona_pair(label: str, rng: random.Random) -> tuple[str, str, str]:
    """The lines of a persona, a line said later, and the label that it came out with."""
    drawn = rng.sample(range(len(TRAITS)), rng.choice([1, 2, 3, 4, 5]))
    for one, other in EXCLUDES:
        if one in drawn and other in drawn:
            drawn.remove(other)
    values = {number: rng.choice(TRAITS[number].pool) for number in drawn}
    number = rng.choice(drawn)
    trait, value = TRAITS[number], values[number]
    lines = [fill(TRAITS[each].doc, rng, v=values[each]) for each in drawn]
    if label == "entailment":
        text = fill(trait.bot + trait.less, rng, v=value)
    elif label == "contradiction":
        text = fill(trait.wrong, rng, v=value)
        shared = [values[each] for each in drawn if TRAITS[each].pool == trait.pool]
        near = [other for other in shared if other != value]
        others = near or [other for other in trait.pool if other != value]
        exact = [form for form in trait.bot if "{v}" in form]
        if trait.single and others and rng.random() < 0.5:
            text = fill(exact, rng, v=rng.choice(others))
    else:
        barred = {each for pair in EXCLUDES if set(pair) & set(drawn) for each in pair}
        rest = [each for each in range(len(TRAITS)) if each not in {*drawn, *barred}]
        new = TRAITS[rng.choice(rest)]
        text = rng.choice(STRAY)
        if rng.random() < 0.7:
            forms = new.wrong if new.free and rng.random() < 0.4 else new.doc
            text = fill(forms, rng, v=rng.choice(new.pool))
        if rng.random() < 0.25:
            text, label = f"{fill(trait.bot, rng, v=value)} and {text}", "not_entailment"
    talk = rng.random() < 0.3
    if talk:
        lines = [f"{line}. {rng.choice(TALK)}" if rng.random() < 0.4 else line
                 for line in lines]  # fmt: skip
    premise = " ".join(stopped(line) for line in lines)
    hypothesis = stopped(shortened(text, rng).replace("i am", rng.choice(["i am", "i'm"])))
    if rng.random() < 0.15:
        hypothesis = rng.choice(("yeah, ", "haha, ", "oh, ", "well, ", "thanks! ")) + hypothesis
    if rng.random() < 0.5:
        return lowered(premise), lowered(hypothesis), label
    return _proper(premise), _proper(hypothesis), label


def _proper(text: str) -> str:
    """With capitals, and no spaces before signs."""
    text = _PROPER.sub(lambda match: match[0].title(), _SELF.sub("I", text))
    text = re.sub(r" ([.,!?])", r"\1", text)
    return _START.sub(lambda match: match[0].upper(), text)
