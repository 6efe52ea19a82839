"""Active to passive and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staytrue.silver.edits import Edit, Edited, capitalised, edit

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

# Past tense → participle, for common verbs where they differ.
_PARTICIPLES = {
    "wrote": "written", "began": "begun", "sang": "sung", "drove": "driven", "chose": "chosen",
    "drew": "drawn", "saw": "seen", "spoke": "spoken", "broke": "broken", "stole": "stolen",
    "threw": "thrown", "knew": "known", "grew": "grown",
}  # fmt: skip
_PASTS = {participle: past for past, participle in _PARTICIPLES.items()}
_SAME = frozenset(
    "built held made led won sold found brought bought taught caught met lost".split()
)


def turn_voice(doc: Doc) -> Edited | None:
    """Turn the first simple past clause from active to passive or back; None without one."""
    chunks = {chunk.root.i: chunk for chunk in doc.noun_chunks}
    # The parser's own sentences, as in `split`.
    for sentence in doc.sents:
        turned = _to_passive(sentence.root, chunks) or _to_active(sentence.root, chunks)
        if turned is not None:
            return edit(doc.text, [turned])
    return None


def _to_passive(verb: Token, chunks: dict[int, Span]) -> Edit | None:
    subjects = [c for c in verb.lefts if c.dep_ == "nsubj"]
    objects = [c for c in verb.rights if c.dep_ == "dobj"]
    participle = _participle(verb)
    if verb.tag_ != "VBD" or len(subjects) != 1 or len(objects) != 1 or participle is None:
        return None
    if any(
        c.dep_ in ("conj", "neg", "aux", "prt", "dative", "xcomp", "ccomp", "oprd")
        for c in verb.children
    ):
        return None
    subject, other = _simple(subjects[0], chunks), _simple(objects[0], chunks)
    if subject is None or other is None:
        return None
    if subject.end != verb.i or other.start != verb.i + 1:
        return None
    be = "were" if other.root.tag_ in ("NNS", "NNPS") else "was"
    return _swapped(subject, f"{be} {participle} by", other)


def _to_active(verb: Token, chunks: dict[int, Span]) -> Edit | None:
    subjects = [c for c in verb.lefts if c.dep_ == "nsubjpass"]
    helpers = [c for c in verb.lefts if c.dep_ in ("aux", "auxpass", "neg")]
    agents = [p for c in verb.rights if c.dep_ == "agent" for p in c.children if p.dep_ == "pobj"]
    past = _past(verb)
    if len(subjects) != 1 or len(agents) != 1 or past is None:
        return None
    if any(c.dep_ in ("conj", "cc") for c in verb.children):
        return None
    if len(helpers) != 1 or helpers[0].lower_ not in ("was", "were"):
        return None
    subject, agent = _simple(subjects[0], chunks), _simple(agents[0], chunks)
    if subject is None or agent is None:
        return None
    if subject.end != helpers[0].i or agent.start != verb.i + 2:
        return None
    return _swapped(subject, past, agent)


def _participle(verb: Token) -> str | None:
    word = verb.lower_
    return word if word.endswith("ed") or word in _SAME else _PARTICIPLES.get(word)


def _past(verb: Token) -> str | None:
    word = verb.lower_
    return word if word.endswith("ed") or word in _SAME else _PASTS.get(word)


def _simple(noun: Token, chunks: dict[int, Span]) -> Span | None:
    """The noun's chunk, if it stands alone: no pronoun, no list, nothing that hangs on it."""
    chunk = chunks.get(noun.i)
    if chunk is None or chunk.root.pos_ not in ("NOUN", "PROPN"):
        return None
    after = chunk.doc.text[chunk.end_char : chunk.end_char + 1]
    if chunk.text.endswith("."):  # "c." or "Inc." may hide more
        return None
    alone = all(c.i < chunk.root.i or c.dep_ == "punct" for c in chunk.root.children)
    return chunk if alone and after not in ("'", "’", '"', "-") else None


def _swapped(subject: Span, between: str, other: Span) -> Edit:
    """The two chunks in each other's place."""
    start, end = subject.start_char, other.end_char
    new = f"{_opening(other, subject)} {between} {_lowered(subject)}"
    return Edit(start, end, subject.doc.text[start:end], new)


def _opening(chunk: Span, target: Span) -> str:
    """The chunk in the place of another, which may open the sentence."""
    return capitalised(chunk.text) if target.start == target.sent.start else chunk.text


def _lowered(chunk: Span) -> str:
    text: str = chunk.text
    proper = chunk[0].pos_ == "PROPN" or (chunk[0].ent_type_ and chunk[0].pos_ != "DET")
    return text if proper else text[:1].lower() + text[1:]
