"""Edits that keep the meaning: less said, another voice, two sentences, synonyms, numbers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from staytrue.perturb.clauses import drop_clause
from staytrue.perturb.edits import Edited
from staytrue.perturb.numbers import rewrite_number
from staytrue.perturb.pronouns import use_pronoun
from staytrue.perturb.split import split_sentence
from staytrue.perturb.synonyms import use_synonyms
from staytrue.perturb.voice import turn_voice

if TYPE_CHECKING:
    from spacy.tokens import Doc

PARAPHRASES: dict[str, Callable[[Doc, random.Random], Edited | None]] = {
    "clause-drop": drop_clause,
    "voice": lambda doc, rng: turn_voice(doc),
    "sentence-split": lambda doc, rng: split_sentence(doc),
    "synonym": use_synonyms,
    "number": lambda doc, rng: rewrite_number(doc.text, rng),
    "pronoun": use_pronoun,
}
"""Name → an edit after which the text still follows from what it followed from before."""
