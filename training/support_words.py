"""Names of made support answers, and how their sentences are put into words."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from training.support import table

_WORDS = table("words")
_NAMES: dict[str, Sequence[str]] = _WORDS["names"]
OPENERS: Sequence[str] = _WORDS["openers"]
CLOSERS: Sequence[str] = _WORDS["closers"]
NOTES: Sequence[str] = _WORDS["notes"]
DENIALS: Sequence[str] = _WORDS["denials"]
AFFIRMATIONS: Sequence[str] = _WORDS["affirmations"]
_CONTRACTIONS: dict[str, str] = _WORDS["contractions"]
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SPACED = re.compile(r"(?<!\bdr)\s*([.,!?;:]+)(?=\s|$)")


def _one(name: str, rng: random.Random) -> str:
    return rng.choice(_NAMES[name])


def _company(rng: random.Random) -> str:
    return _one("front", rng) + _one("back", rng)


def _person(rng: random.Random) -> str:
    return f"{_one('first', rng)} {_one('last', rng)}"


def _title(rng: random.Random) -> str:
    return f"{_one('title_a', rng)} {_one('title_b', rng)}"


_MAKERS: dict[str, Callable[[random.Random], str]] = {
    "@company": _company,
    "@person": _person,
    "@athlete": _person,
    "@product": lambda rng: (
        f"the {_company(rng)} {rng.choice(['X', 'S', 'T', ''])}{rng.randint(2, 90)}"
        f"{rng.choice(['', '0'])} {_one('goods', rng)}"
    ),
    "@place": lambda rng: _one("towns", rng),
    "@team": lambda rng: _one("clubs", rng).format(_one("towns", rng)),
    "@route": lambda rng: f"{_one('rides', rng)} to {_one('towns', rng)}",
    "@trip": lambda rng: f"{_one('trips', rng)} to {_one('towns', rng)}",
    "@session": lambda rng: _one("sessions", rng),
    "@medicine": lambda rng: _one("medicine", rng) + _one("dose", rng),
    "@work": lambda rng: f'the novel "The {_title(rng)}"',
    "@film": lambda rng: f'the film "The {_title(rng)}"',
}


class Names:
    """Names for one document: no two of them share a word that tells them apart."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._taken: set[str] = set()

    def draw(self, pool: str) -> str:
        while True:
            name = _MAKERS[pool](self._rng)
            words = {
                word
                for word in name.replace('"', "").split()
                if word[0].isupper() and word not in {"FC", "United", "Rovers", "Sporting", "The"}
            } - {"Athletic"} | set(name.split()) & set(_NAMES["goods"]) or {name}
            if not words & self._taken:
                self._taken |= words
                return name


def fill(forms: Sequence[str], rng: random.Random, **slots: str) -> str:
    """One of the forms with its choices made and its slots filled."""
    form = _CHOICE.sub(lambda match: rng.choice(match[1].split("|")), rng.choice(list(forms)))
    return form.format(**slots)


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def stopped(text: str) -> str:
    """With a full stop, unless a sign ends it already."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def shortened(text: str, rng: random.Random) -> str:
    """With contractions, now and then."""
    if rng.random() < 0.45:
        for whole, short in _CONTRACTIONS.items():
            text = re.sub(rf"\b{whole}\b(?! to you)", short, text)
    return text


def lowered(text: str) -> str:
    """As texts of chat corpora are: small letters, and spaces before signs."""
    return _SPACED.sub(r" \1", text.lower())
