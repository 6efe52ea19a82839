"""Synonyms: one or two words become others of the same meaning (WordNet)."""

from __future__ import annotations

import random
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from staytrue.silver.edits import Edited, edit, replace

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_VOWELS = "aeiou"


@lru_cache(maxsize=1)
def synonyms() -> dict[tuple[str, str], list[str]]:
    """(part of speech, word) → words whose main sense is the same."""
    text = files("staytrue.silver.methods").joinpath("synonyms.txt").read_text("utf-8")
    rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
    return {(row[0], row[1]): row[2:] for row in rows}


def use_synonyms(doc: Doc, rng: random.Random, most: int = 2) -> Edited | None:
    """Replace one or two words by synonyms in the same form; None when there is none."""
    table = synonyms()
    candidates = []
    for token in doc:
        known = table.get((token.pos_, token.lemma_.lower()))
        if known is None or token.ent_type_ or not _free(token):
            continue
        form = inflected(rng.choice(known), token)
        if form is not None:
            candidates.append((token, form))
    if not candidates:
        return None
    chosen = rng.sample(candidates, min(len(candidates), rng.randint(1, most)))
    return edit(doc.text, [replace(token.idx, token.text, form) for token, form in chosen])


def _free(token: Token) -> bool:
    """Not part of a compound, and not a comparative, which builds its phrase in its own way."""
    return token.dep_ != "compound" and token.tag_ not in ("JJR", "RBR", "JJS", "RBS")


def inflected(word: str, like: Token) -> str | None:
    """The word in the form of `like`; None where a regular ending may be wrong."""
    if like.text.lower() == like.lemma_.lower():
        return word
    if like.tag_ == "NNS":
        return None if word.endswith("ch") else plural(word)  # "epochs" but "branches"
    if like.tag_ == "VBZ":
        return plural(word)
    if like.tag_ in ("VBD", "VBN") and like.lower_.endswith("ed"):
        return _with_ending(word, "ed")
    if like.tag_ == "VBG":
        return _with_ending(word, "ing")
    return None


def plural(word: str) -> str:
    """The word with a regular -s."""
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return word[:-1] + "ies"
    return word + "s"


# Common verbs with an irregular past; their -ed form would be wrong.
_IRREGULAR = frozenset(
    "get begin buy go come see say take give find think tell become leave feel put bring keep "
    "hold write stand hear let mean set meet run pay sit speak lie lead read grow lose fall send "
    "build understand draw break spend cut rise drive wear choose fight catch shut forget".split()
)


def _with_ending(word: str, ending: str) -> str | None:
    if ending == "ed" and word in _IRREGULAR:
        return None
    if word.endswith("e") and not word.endswith("ee"):
        return word[:-1] + ending
    if ending == "ed" and word.endswith("y") and word[-2:-1] not in _VOWELS:
        return word[:-1] + "ied"
    if len(word) > 2 and word[-1] not in "aeiouwxyrhntldkgmspfcb" and word[-2] in _VOWELS:
        return None
    if (
        len(word) <= 4
        and word[-1] not in "aeiouwxy"
        and word[-2] in _VOWELS
        and word[-3] not in _VOWELS
    ):
        return word + word[-1] + ending  # stop → stopped
    return word + ending
