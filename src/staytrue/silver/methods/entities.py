"""Entity swap: up to two entities become others of the same type, from other documents."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from staytrue.silver.edits import Edit, Edited, edit
from staytrue.silver.pool import Pool, bare_bounds, entity_kind, swappable

if TYPE_CHECKING:
    from spacy.tokens import Doc


def swap_entities(
    doc: Doc, pool: Pool, document: str, rng: random.Random, most: int = 2
) -> Edited | None:
    """Replace one or two entities of the text; None when it has none with a substitute."""
    entities = [entity for entity in doc.ents if swappable(entity)]
    rng.shuffle(entities)
    wanted = rng.randint(1, most)
    edits: list[Edit] = []
    taken = doc.text
    for entity in entities:
        start, end = bare_bounds(entity)
        old = doc.text[start:end]
        new = pool.entity(entity_kind(entity), taken, document, rng) if old else None
        if new is None:
            continue
        # Every mention changes, or the text would contradict itself.
        edits += [Edit(m, m + len(old), old, new) for m in _mentions(doc.text, old)]
        taken += " " + new
        wanted -= 1
        if not wanted:
            break
    edits = _without_overlaps(edits)
    return edit(doc.text, edits) if edits else None


def _mentions(text: str, name: str) -> list[int]:
    starts, at = [], text.find(name)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(name) : at + len(name) + 1]
        if not any(c.isalnum() for c in around):
            starts.append(at)
        at = text.find(name, at + len(name))
    return starts


def _without_overlaps(edits: list[Edit]) -> list[Edit]:
    kept: list[Edit] = []
    for change in sorted(edits, key=lambda e: (e.start, -e.end)):
        if not kept or change.start >= kept[-1].end:
            kept.append(change)
    return kept
