"""Sentence split: two things said of one subject become two sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staytrue.silver.edits import Edit, Edited, capitalised, edit

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token


def split_sentence(doc: Doc) -> Edited | None:
    """Cut "X did this and did that" into two sentences; None when no sentence has that form."""
    chunks = {chunk.root.i: chunk for chunk in doc.noun_chunks}
    # The parser's own sentences: what is edited is the clause that hangs on a root of the parse.
    for sentence in doc.sents:
        change = _cut(sentence.root, chunks)
        if change is not None:
            return edit(doc.text, [change])
    return None


def _cut(root: Token, chunks: dict[int, Span]) -> Edit | None:
    subjects = [c for c in root.lefts if c.dep_ in ("nsubj", "nsubjpass")]
    second = next((c for c in root.rights if c.dep_ == "conj" and c.tag_ in ("VBD", "VBZ")), None)
    joining = next((c for c in root.rights if c.dep_ == "cc" and c.lower_ == "and"), None)
    if not subjects or second is None or joining is None or root.tag_ not in ("VBD", "VBZ"):
        return None
    subject = chunks.get(subjects[0].i)
    if subject is None or any(c.dep_ in ("nsubj", "nsubjpass", "aux") for c in second.lefts):
        return None
    if second.left_edge.i != joining.i + 1:
        return None
    text = root.doc.text
    start = joining.idx
    before = text[:start].rstrip()
    cut = len(before) - 1 if before.endswith(",") else len(before)
    end = second.left_edge.idx
    new = f". {capitalised(_pronoun(subject.root))} "
    return Edit(cut, end, text[cut:end], new)


def _pronoun(noun: Token) -> str:
    """The word that stands for the subject in the second sentence."""
    if noun.pos_ == "PRON":
        return noun.text
    chunk = next(c for c in noun.doc.noun_chunks if c.root == noun)
    text: str = chunk.text
    return text
