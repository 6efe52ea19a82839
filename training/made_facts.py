"""Entailment pairs about dates and numbers, where a small model reads worst.

*Lives*: "NAME (DATE – DATE) was …" says when someone was born and died, and in which order.
*Numbers*: the same number is often written in another way: 9,000, 9000, nine thousand.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from staytrue.english.numbers import to_digits
from training.common import read_rows, sentences
from training.made_pairs import chatty

_MONTHS = (
    "January February March April May June July August September October November December"
).split()
# Men and women in turn.
_FIRST = (
    "John Mary James Anna Robert Linda Carlos Elena David Sofia Peter Grace Ivan Julia Thomas "
    "Laura Ahmed Clara Henry Nina Paul Rosa George Helen Frank Alice Daniel Emma Louis Martha"
).split()
_LAST = (
    "Walker Brown Lopez Fischer Novak Carter Moreau Hughes Tanaka Rossi Keller Bennett Silva "
    "Larsen Murphy Palmer Quinn Weber Dawson Fox Grant Holt Irving Jensen Kent Lane Marsh Nash"
).split()
_PEOPLES = (
    "American British French German Italian Canadian Irish Spanish Mexican Dutch Swedish Indian"
).split()
_TRADES = (
    "singer", "actor", "painter", "writer", "politician", "scientist", "football player",
    "composer", "musician", "film director", "businessman", "chef", "journalist", "inventor",
)  # fmt: skip
_PLACES = "London Chicago Texas Paris Toronto Berlin Dublin Ohio Madrid Sydney Florida".split()
_ABOUT = ("about ", "around ", "roughly ", "approximately ", "some ", "")
# A number that counts something: a word before it, and a word of the text after it.
_NUMERAL = re.compile(r"(?<=[a-z] )\d{1,6}(?= [a-z]{3,})")
_HEDGED = re.compile(
    r"\b(?:over|about|roughly|nearly|to|than|least|most|under|around|from|with)\s$"
)
_SPELLED = dict(
    enumerate(
        (
            "zero one two three four five six seven eight nine ten eleven twelve thirteen "
            "fourteen fifteen sixteen seventeen eighteen nineteen twenty"
        ).split()
    )
)


def _date(year: int, rng: random.Random) -> tuple[str, str, int]:
    """A day, its month and year as one text, the month alone, and the year."""
    month, day = rng.choice(_MONTHS), rng.randint(1, 28)
    return rng.choice([f"{month} {day}, {year}", f"{day} {month} {year}"]), month, year


def _event(kind: str, when: tuple[str, str, int], rng: random.Random) -> str:
    whole, month, year = when
    verbs = {"born": ["was born"], "died": ["died", "passed away"]}
    verb = rng.choice(verbs[kind])
    return rng.choice(
        [
            f"{verb} on {whole}",
            f"{verb} in {year}",
            f"{verb} in {year}",
            f"{verb} in {month} {year}",
        ]
    )


def life_pairs(seed: int, wanted: int) -> Iterator[dict[str, Any]]:
    """Who was born and who died when, told in brackets and said in a sentence."""
    rng = random.Random(f"lives {seed}")
    for _ in range(wanted):
        person = rng.randrange(len(_FIRST))
        first, last = _FIRST[person], rng.choice(_LAST)
        birth = rng.randint(1700, 1925)
        death = birth + rng.randint(20, 90)
        born, died = _date(birth, rng), _date(death, rng)
        trade = " and ".join(rng.sample(_TRADES, rng.choice([1, 1, 2])))
        people = rng.choice(_PEOPLES)
        alive = rng.random() < 0.3
        dates = rng.choice(["born ", "born ", ""]) + born[0] if alive else f"{born[0]} – {died[0]}"
        be = "is" if alive else "was"
        article = "an" if people[0] in "AI" else "a"
        premise = f"{first} {last} ({dates}) {be} {article} {people} {trade}."
        who = rng.choice([f"{first} {last}", last, ("he", "she")[person % 2]])
        kind = "born" if alive or rng.random() < 0.5 else "died"
        right = {"born": born, "died": died}
        label = rng.choice(["entailment", "entailment", "contradiction", "neutral"])
        if label == "neutral":
            claim = rng.choice(
                [
                    f"{who} was born in {rng.choice(_PLACES)}",
                    f"{who} was born on {born[0]} in {rng.choice(_PLACES)}",
                    f"{who} moved to {rng.choice(_PLACES)} in {birth + rng.randint(5, 19)}",
                ]
            )
        elif label == "entailment":
            claim = f"{who} {_event(kind, right[kind], rng)}"
            if not alive and rng.random() < 0.3:
                claim = f"{who} {_event('born', born, rng)} and {_event('died', died, rng)}"
            elif rng.random() < 0.2:
                claim = f"{claim} and {be} {article} {people} {trade.split(' and ')[0]}"
        elif alive or rng.random() < 0.5:
            wrong = _date(right[kind][2] + rng.choice([-30, -11, -4, -1, 1, 3, 10, 26]), rng)
            claim = f"{who} {_event(kind, wrong, rng)}"
        else:
            claim = f"{who} {_event(kind, right['died' if kind == 'born' else 'born'], rng)}"
        yield {
            "premise": _cased(premise, rng),
            "hypothesis": chatty(claim, f"{first} {last}".lower(), rng),
            "label": label,
            "source": "made_lives",
        }


def _cased(text: str, rng: random.Random) -> str:
    return text.lower() if rng.random() < 0.4 else text


def _rewritten(numeral: str, rng: random.Random) -> str:
    """The same number in another form."""
    value = int(numeral.replace(",", ""))
    forms = [str(value), f"{value:,}"]
    if value in _SPELLED:
        forms.append(_SPELLED[value])
    if value >= 1000 and value % 1000 == 0:
        forms.append(f"{value // 1000:,} thousand")
    return rng.choice([form for form in forms if form != numeral] or [numeral])


def number_pairs(text: Path, seed: int, wanted: int) -> Iterator[dict[str, Any]]:
    """A sentence with a number, and the same sentence with it written differently or changed."""
    rng = random.Random(f"numbers {seed}")
    numerals = []
    for row in read_rows(text / "wiki_paragraphs.jsonl.gz"):
        for sentence in sentences(row["text"]):
            if not 6 <= len(sentence.split()) <= 30:
                continue
            digits = to_digits(sentence)
            for match in _NUMERAL.finditer(digits):
                value = int(match.group())
                # Neither "one" nor a year, which have one form.
                if value > 1 and not 1000 <= value <= 2100:
                    numerals.append((row["title"], sentence, digits, match.span(), value))
    for _ in range(wanted):
        title, sentence, digits, (start, end), value = rng.choice(numerals)
        same = rng.random() < 0.55
        factor = rng.choice([2, 3, 5, 10])
        other = value if same else value * factor if rng.random() < 0.6 else value + factor
        hedged = _HEDGED.search(digits[:start])
        about = "" if hedged or value <= 20 else rng.choice(_ABOUT)
        if not same and (hedged or about):
            other = value * factor  # "about 52" does not contradict 50
        claim = f"{digits[:start]}{about}{_rewritten(f'{other:,}', rng)}{digits[end:]}"
        yield {
            "premise": _cased(sentence, rng),
            "hypothesis": chatty(claim.rstrip(". "), title.replace("_", " ").lower(), rng),
            "label": "entailment" if same else "contradiction",
            "source": "made_numbers",
        }
