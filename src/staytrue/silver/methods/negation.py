"""Response negation: the main clause says the opposite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staytrue.silver.edits import Edit, Edited, edit, replace

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_DO = {"VBD": "did not", "VBZ": "does not", "VBP": "do not"}
_NEGATIVE = ("not", "n't", "n’t", "never")
_FULL_FORM = {"ca": "can", "wo": "will", "sha": "shall"}


def negate(doc: Doc) -> Edited | None:
    """Negate the first clause that can be, or take its negation away; None for questions."""
    # The parser's own sentences, as in `split`.
    for sentence in doc.sents:
        if sentence.text.rstrip().endswith("?") or sentence.root.pos_ not in ("VERB", "AUX"):
            continue
        edits = _edits(sentence.root)
        if edits:
            return edit(doc.text, edits)
    return None


def _edits(root: Token) -> list[Edit]:
    if not any(child.dep_ in ("nsubj", "nsubjpass", "expl", "csubj") for child in root.children):
        return []  # a fragment or a command
    negations = [c for c in root.children if c.dep_ == "neg" and c.lower_ in _NEGATIVE]
    if negations:
        return _affirm(negations[0])
    helpers = [c for c in root.lefts if c.dep_ in ("aux", "auxpass") and c.tag_ != "TO"]
    if helpers:
        return [_not_after(helpers[0])]
    if root.lemma_ == "be":
        return [_not_after(root)]
    if root.tag_ not in _DO or not root.lemma_.isalpha():
        return []
    return [replace(root.idx, root.text, f"{_DO[root.tag_]} {root.lemma_}"), *_joined(root)]


def _not_after(helper: Token) -> Edit:
    new = "cannot" if helper.lower_ == "can" else f"{helper.text} not"
    return replace(helper.idx, helper.text, new)


def _joined(root: Token) -> list[Edit]:
    """Verbs that share the "did not" take the plain form, and "and" becomes "or"."""
    edits: list[Edit] = []
    for verb in root.conjuncts:
        own_subject = any(c.dep_ in ("nsubj", "nsubjpass", "aux", "auxpass") for c in verb.children)
        if own_subject or verb.tag_ != root.tag_ or verb.i < root.i:
            continue
        edits.append(replace(verb.idx, verb.text, verb.lemma_))
    joining = [c for c in root.children if c.dep_ == "cc" and c.lower_ == "and"]
    if edits and joining:
        edits.append(replace(joining[0].idx, joining[0].text, "or"))
    return edits


def _affirm(negation: Token) -> list[Edit]:
    before = negation.nbor(-1) if negation.i else None
    edits = [replace(negation.idx, negation.text, "")]
    if before is not None and before.lower_ in _FULL_FORM:  # "ca" + "n't"
        edits.append(replace(before.idx, before.text, _FULL_FORM[before.lower_]))
    return edits
