"""Edits that keep the meaning: less said, another voice, two sentences, synonyms, numbers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from staytrue.silver.edits import Edited
from staytrue.silver.methods.clauses import drop_clause
from staytrue.silver.methods.numbers import rewrite_number
from staytrue.silver.methods.pronouns import use_pronoun
from staytrue.silver.methods.split import split_sentence
from staytrue.silver.methods.synonyms import use_synonyms
from staytrue.silver.methods.voice import turn_voice

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
