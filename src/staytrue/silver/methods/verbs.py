"""Verb replacement: up to two verbs become others of the same tense and with the same objects."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from staytrue.silver.edits import Edit, Edited, edit, replace
from staytrue.silver.pool import Pool, verb_frame

if TYPE_CHECKING:
    from spacy.tokens import Doc


def replace_verbs(doc: Doc, pool: Pool, rng: random.Random, most: int = 2) -> Edited | None:
    """Replace one or two verbs of the text; None when none has a substitute."""
    frames = [(token, verb_frame(token)) for token in doc]
    candidates = [(token, frame) for token, frame in frames if frame is not None]
    rng.shuffle(candidates)
    present = frozenset(token.lemma_ for token in doc)
    wanted = rng.randint(1, most)
    edits: list[Edit] = []
    for token, frame in candidates:
        new = pool.verb(frame, present, rng)
        if new is None:
            continue
        edits.append(replace(token.idx, token.text, new))
        wanted -= 1
        if not wanted:
            break
    return edit(doc.text, edits) if edits else None
