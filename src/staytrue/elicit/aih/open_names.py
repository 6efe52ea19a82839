"""Questions that leave open whether a name is somebody's or a work's: "who or what"."""

from __future__ import annotations

import re

from staytrue.elicit.aih.soundness import LIKING, USING, WITH_PEOPLE, Phrase


def widened(question: str, phrase: Phrase) -> str:
    """ "who or what do you love?" where a name may be somebody's or a title."""
    named = phrase.span.label == "PERSON"
    unknown = phrase.span.label == "" and phrase.root.pos_ == "PROPN"
    if phrase.role not in ("dobj", "pobj", "nsubjpass") or not (named or unknown):
        return question
    above = {a.lemma_.lower() for a in phrase.root.ancestors if a.pos_ in ("VERB", "AUX")}
    if above & (WITH_PEOPLE | USING - {"watch"}) or "bear" in above:
        return question
    before = phrase.preposition
    described = before is not None and before.head.dep_ in ("attr", "acomp")
    if not (named and phrase.role == "nsubjpass") and not (
        described or above & (LIKING | {"listen", "watch"})
    ):
        return question
    if named and _is_full_name(phrase) and question.lower().startswith("who "):
        return question if phrase.role != "nsubjpass" else _widen(question)
    return _widen(question)


def _is_full_name(phrase: Phrase) -> bool:
    return len(phrase.stretch) > 1 and all(
        token.pos_ == "PROPN" and token.text[:1].isupper() for token in phrase.stretch
    )


def _widen(question: str) -> str:
    return re.sub(
        r"^(?:who|what) (?=do|did|have|has|are|were|was|is|would|can|will)", "Who or what ",
        question, flags=re.I,
    )  # fmt: skip
