"""Spans worth asking about (Q², step 1), and questions whose answer is a given span (step 2).

Spans are named entities, then noun chunks, of the dependency parse.

The clause around the span is turned into wh-questions by moving the span to the front, with
do-support and agreement; the form with the question word left in place ("coffee has an effect
on what?") comes last. No model is needed, and the same text always gives the same questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from staytrue.backends.rules.clauses import (
    DURATIONS,
    PLACES,
    Clause,
    base_form,
    do_form,
    find_clause,
    question_words,
    subtree,
    third_person,
    trimmed,
)
from staytrue.core.protocols import Span, Target
from staytrue.english.parses import (
    Parsed,
    is_empty_it,
    is_plural,
    noun_chunks,
    parsed,
    pipeline_name,
    proper_names,
    spelled,
)

if TYPE_CHECKING:
    from spacy.tokens import Span as Stretch
    from spacy.tokens import Token

# What signatures say of the rules; whoever changes some raises their number.
VERSIONS = {"spans": "spans-1", "ask": "rules@1", "claims": "rule-claims@10"}
MOST_CANDIDATES = 5
# Questions about the speaker's bare "I" say nothing about the knowledge.
_NEVER = frozenset({"i"})
# "which", "who", "that" stand for another span; nothing can be asked about them.
_RELATIVE_TAGS = frozenset({"WDT", "WP", "WP$"})
_TIMES = ("DATE", "TIME")
_LEFT_MODIFIERS = ("nummod", "compound", "amod", "nmod", "poss", "quantmod", "det")
# Prepositions that a question word swallows: "in 1962" → when, "in paris" → where.
_SWALLOWED = ("in", "on", "at", "during", "within", "near", "inside")
_PIED = ("since", "until", "till", "by", "from", "after", "before", "around", "between")

_CLOSING = frozenset(",.;:)!?%")

Words = list["Token | str"]


class SpacySpans:
    """Find the spans worth asking about; offsets point into the text as given."""

    @property
    def name(self) -> str:
        """What stands behind the spans, for signatures."""
        return f"{VERSIONS['spans']}+{pipeline_name()}"

    def spans(self, texts: Sequence[str]) -> list[list[Span]]:
        """Entities first, then noun chunks whose text is not there yet, each in text order."""
        return [list(_distinct(parse)) for parse in parsed(texts)]


def _distinct(parse: Parsed) -> Iterator[Span]:
    seen = set(_NEVER)
    for kind, stretch in _candidates(parse):
        trimmed = _trim(stretch)
        if trimmed is None:
            continue
        start, end = parse.tidy.to_original(trimmed.start_char, trimmed.end_char)
        text = parse.tidy.original[start:end]
        key = trimmed.text.lower()
        if key not in seen:
            seen.add(key)
            label = stretch.label_ if kind == "entity" else ""
            yield Span(text, start, end, kind, label)


def _candidates(parse: Parsed) -> Iterator[tuple[str, Stretch]]:
    for entity in parse.doc.ents:
        yield "entity", _whole_name(entity)
    for chunk in noun_chunks(parse.doc):
        if chunk.root.tag_ not in _RELATIVE_TAGS and not is_empty_it(chunk.root):
            yield "chunk", chunk


def _whole_name(entity: Stretch) -> Stretch:
    """ "rodney mullen", where only "rodney" was recognised: the name goes on to its head."""
    head = entity.root.head
    known = entity.label_ == "PERSON" and entity[0].lower_ in proper_names()
    if not known or entity.root.dep_ != "compound" or head.i < entity.end:
        return entity
    from spacy.tokens import Span as Longer

    return Longer(entity.doc, entity.start, head.i + 1, label=entity.label_)


def _trim(stretch: Stretch) -> Stretch | None:
    """The stretch without punctuation and white space at its edges; None if nothing is left."""
    start, end = stretch.start, stretch.end
    doc = stretch.doc
    while start < end and not _is_word(doc[start].text):
        start += 1
    while end > start and not _is_word(doc[end - 1].text):
        end -= 1
    return doc[start:end] if start < end else None


def _is_word(text: str) -> bool:
    return any(c.isalnum() for c in text) or text in ("$", "€", "£", "%", "#")


class RuleQuestions:
    """Ask about spans by rules; up to five candidates each, best first."""

    name = VERSIONS["ask"]

    def ask(self, targets: Sequence[Target]) -> list[list[str]]:
        """Candidate questions for each target; none when its span is not in its text."""
        parses = parsed([target.text for target in targets])
        return [_ask(target, parse) for target, parse in zip(targets, parses, strict=True)]


def _ask(target: Target, parse: Parsed) -> list[str]:
    start, end = parse.tidy.from_original(target.span.start, target.span.end)
    stretch = parse.doc.char_span(start, end, alignment_mode="expand")
    if stretch is None or not len(stretch):
        return []
    clause = None if _is_question(stretch) else find_clause(stretch)
    asked = list(_moved(stretch, target.span.label, clause)) if clause else []
    asked += _in_place(stretch, target.span.label, clause)
    return list(dict.fromkeys(q for q in asked if q))[:MOST_CANDIDATES]


def _is_question(stretch: Stretch) -> bool:
    return str(stretch.sent.text).rstrip().endswith("?")


# The question word moved to the front.


def _moved(stretch: Stretch, label: str, clause: Clause) -> Iterator[str]:
    head = stretch.root
    if label == "ORDINAL":  # nobody asks for "first" alone
        return
    if head.dep_ == "appos" and not any(t in stretch for t in clause.subject):
        yield from _moved_apposition(stretch, label)
        return
    if head.dep_ in _LEFT_MODIFIERS and head.head.pos_ in ("NOUN", "PROPN"):
        yield from _moved_modifier(stretch, label, clause)
        return
    gap = _own_phrase(stretch)
    others = _coordinated(stretch)
    opening = f"Along with {_joined(others)}, " if others else ""
    gone = gap | {t.i for t in others} | _joints(head)
    if any(t.i in gap for t in clause.subject):
        if clause.subject_head in stretch:
            for word in question_words(stretch, label):
                yield _finished(opening + _subject_question(clause, word, gone))
        return
    for word, swallowed in _with_preposition(stretch, label):
        front: Words = [word]
        tail = _of_phrase(head, stretch)
        front += tail
        hidden = gone | swallowed | {t.i for t in tail}
        yield _finished(opening + _object_question(clause, front, hidden))


def _moved_apposition(stretch: Stretch, label: str) -> Iterator[str]:
    """ "queens, a part of new york": what is queens."""
    noun = stretch.root.head
    if label in PLACES:
        return
    left = [t for c in noun.lefts for t in subtree(c)]
    verb = "are" if is_plural(noun) else "is"
    for word in question_words(stretch, label):
        yield _finished(_text([word, verb, *left, noun]))


def _own_phrase(stretch: Stretch) -> set[int]:
    """The span and its words on the left that go with it, such as an article."""
    head = stretch.root
    mine = {t.i for t in stretch} | _quotes_around(stretch)
    for child in head.lefts:
        if child.dep_ in ("det", "quantmod", "predet", "amod", "compound", "nummod"):
            mine.update(t.i for t in subtree(child))
    return mine


def _quotes_around(stretch: Stretch) -> set[int]:
    doc, before, after = stretch.doc, stretch.start - 1, stretch.end
    if before >= 0 and after < len(doc) and doc[before].is_quote and doc[after].is_quote:
        return {before, after}
    return set()


def _coordinated(stretch: Stretch) -> list[Token]:
    """The other members of a list that the span is in: "X and (the span)"."""
    head = stretch.root
    members = [head, *head.conjuncts]
    others = [m for m in members if m not in stretch and m.pos_ in ("NOUN", "PROPN", "NUM", "PRON")]
    tokens: list[Token] = []
    mine = {t.i for t in stretch}
    for other in others:
        left = [t for c in other.lefts if c.dep_ not in ("cc", "punct") for t in subtree(c)]
        tokens += [t for t in (*left, other) if t.i not in mine]
    return sorted(set(tokens), key=lambda t: t.i)


def _joints(head: Token) -> set[int]:
    """Commas and conjunctions that hold together a list the span is in."""
    members = [head, *head.conjuncts]
    if len(members) == 1:
        return set()
    return {c.i for m in members for c in m.children if c.dep_ in ("cc", "punct", "preconj")}


def _joined(tokens: Sequence[Token]) -> str:
    """The members of a list as text: neighbours stay together, others get "and"."""
    groups: list[list[Token]] = []
    for token in tokens:
        if groups and token.i == groups[-1][-1].i + 1:
            groups[-1].append(token)
        else:
            groups.append([token])
    return " and ".join(_text(list(group)) for group in groups)


def _of_phrase(head: Token, stretch: Stretch) -> list[Token]:
    """ "of stamps" after "the study": it goes to the front with the question word."""
    for child in head.rights:
        if child.lower_ == "of" and child.left_edge == child and child not in stretch:
            return [t for t in subtree(child) if not t.is_punct]
    return []


def _with_preposition(stretch: Stretch, label: str) -> Iterator[tuple[str, set[int]]]:
    """Question words, and the preposition that each of them makes needless."""
    head = stretch.root
    while head.dep_ == "conj" and head.head.pos_ in ("NOUN", "PROPN", "NUM"):
        head = head.head  # the members of a list share the first one's preposition
    preposition = head.head if head.dep_ == "pobj" and head.head.pos_ in ("ADP", "SCONJ") else None
    words = question_words(stretch, label)
    if preposition is None:
        if label in _TIMES and head.dep_ in ("npadvmod", "advmod"):
            words = ["when", "how long"] if head.lemma_ not in DURATIONS else ["how long", "when"]
        for word in words:
            yield word, set()
        return
    low, gone = preposition.lower_, {preposition.i}
    if low == "for" and (label in _TIMES or head.lemma_ in DURATIONS):
        yield "how long", gone
        words = ["how long"]
    elif label in _TIMES and low in _SWALLOWED:
        yield "when", gone
        if words[0] != "when":
            yield f"{low} {words[0]}", gone
        words = ["what"]
    elif label in _TIMES and low in _PIED:
        yield f"{low} when", gone
        if words[0] != "when":
            yield f"{low} {words[0]}", gone
        words = ["what"]
    elif label in PLACES and low in _SWALLOWED:
        yield "where", gone
        words = ["what"]
    elif label in PLACES and low in ("from", "to"):
        yield "where", set()
    for word in words:
        yield word, set()


def _moved_modifier(stretch: Stretch, label: str, clause: Clause) -> Iterator[str]:
    """The span is a modifier inside a noun phrase: "two teams" → how many teams."""
    noun = stretch.root.head
    word = _modifier_word(stretch, label)
    if not word:
        return
    mine = {t.i for t in stretch}
    base = [
        t
        for child in noun.lefts
        if child.dep_ in ("amod", "compound", "nmod", "nummod", "poss", "punct")
        for t in subtree(child)
        if t.i not in mine and t.i < noun.i and t.tag_ != "POS"
    ]
    if noun.dep_ == "compound":  # the noun itself belongs to a longer name
        return
    front: Words = [word, *base, noun, *_of_phrase(noun, stretch)]
    whole = {t.i for t in front if not isinstance(t, str)} | mine
    whole |= {t.i for c in noun.lefts if c.dep_ in ("det", "poss") for t in subtree(c)}
    if noun == clause.subject_head:
        subject = _text(front)
        yield _finished(_subject_question(clause, subject, whole, plural=is_plural(noun)))
    elif not any(t.i in whole for t in clause.subject):
        preposition = noun.head if noun.dep_ == "pobj" else None
        yield _finished(_object_question(clause, front, whole))
        if preposition is not None:
            front = [f"{preposition.lower_} {word}", *front[1:]]
            yield _finished(_object_question(clause, front, whole | {preposition.i}))


def _modifier_word(stretch: Stretch, label: str) -> str:
    dependency = stretch.root.dep_
    if dependency == "poss":
        return "whose"
    if label in ("CARDINAL", "QUANTITY") or (dependency == "nummod" and not label):
        return "how many"
    if label == "MONEY":
        return "how much"
    if label == "DATE":
        return "which year's"
    if label in ("ORDINAL", "PERCENT", "TIME"):
        return ""
    return "what kind of" if dependency == "amod" else "which"


def _subject_question(clause: Clause, subject: str, gone: set[int], *, plural: bool = False) -> str:
    """ "the company was founded" → what was founded."""
    tail = [t for t in clause.subject if t.i not in gone and t.i > min(gone)]
    verbs = [*clause.auxiliaries, *clause.rest] if clause.auxiliaries else list(clause.rest)
    words: Words = [subject, *tail]
    if clause.inserted:
        words.append(clause.inserted if plural else third_person(clause.inserted, "VBP"))
    finite = clause.auxiliaries[0] if clause.auxiliaries else clause.verb
    for token in _in_order(verbs, clause):
        if token.i in gone:
            continue
        if token == finite and not plural and not clause.inserted:
            tag = token.tag_ if clause.auxiliaries else clause.tag
            words.append(third_person(spelled(token), tag))
        else:
            words.append(token)
    return _text(words)


def _object_question(clause: Clause, front: Words, gone: set[int]) -> str:
    """ "they signed with X" → who did they sign with."""
    words: Words = [*front]
    verbs = [*clause.auxiliaries, *clause.rest]
    moved: Token | None = None
    bare = False
    if clause.inserted:
        words.append(clause.inserted)
    elif clause.auxiliaries:
        moved = clause.auxiliaries[0]
        words.append(spelled(moved))
    elif clause.verb.lemma_ == "be" or clause.verb.tag_ == "MD":
        moved = clause.verb
        words.append(spelled(moved))
    else:
        bare = True
        words.append(do_form(clause.tag))
    words += [t for t in clause.subject if t.i not in gone]
    for token in _in_order(verbs, clause):
        if token == moved or token.i in gone:
            continue
        words.append(base_form(token) if bare and token == clause.verb else token)
    return _text(words)


def _in_order(tokens: Iterable[Token], clause: Clause) -> list[Token]:
    """Auxiliaries among the rest in text order; adverbials moved to the end stay there."""
    listed = list(dict.fromkeys(tokens))
    rest = [t for t in listed if t not in clause.auxiliaries]
    order_of = {t: n for n, t in enumerate(rest)}
    for helper in clause.auxiliaries:
        later = [n for t, n in order_of.items() if t.i > helper.i]
        at = min(later) if later else 0
        rest.insert(rest.index(next(t for t, n in order_of.items() if n == at)), helper)
    return rest


# The question word left in place.


def _in_place(stretch: Stretch, label: str, clause: Clause | None) -> list[str]:
    """The clause, and the sentence if it is short, with a question word where the span was."""
    if clause and clause.subject_head in stretch and not _coordinated(stretch):
        return []  # the moved form is the same
    if label == "ORDINAL" and stretch.root.dep_ == "advmod":
        return []  # "first" said of a verb counts nothing
    word = _standing_word(stretch, label)
    mine = {t.i for t in stretch} | _quotes_around(stretch)
    if stretch.root.dep_ not in _LEFT_MODIFIERS:
        mine |= {t.i for t in stretch.root.lefts if t.dep_ == "det"}
    asked = []
    if clause:
        extra: Words = [clause.inserted] if clause.inserted else []
        verbs = _in_order([*clause.auxiliaries, *clause.rest], clause)
        asked.append(_replaced([*clause.subject, *extra, *verbs], mine, word))
    else:
        asked.append(_replaced(list(trimmed(stretch.sent)), mine, word))
    return [_finished(text) for text in asked]


def _standing_word(stretch: Stretch, label: str) -> str:
    if stretch.root.dep_ == "poss":
        return "whose"
    if label == "ORDINAL":
        return "which"
    word = question_words(stretch, label)[0]
    return "what time" if word == "when" else word


def _replaced(words: Words, mine: set[int], by: str) -> str:
    kept: Words = []
    done = False
    for word in words:
        if isinstance(word, str) or word.i not in mine:
            if isinstance(word, str) or word.tag_ != "POS" or by != "whose":
                kept.append(word)
        elif not done:
            kept.append(by)
            done = True
    return _text(kept) if done else ""


# Words → text.


def _text(words: Sequence[Token | str]) -> str:
    parts: list[str] = []
    previous: Token | None = None
    for word in words:
        text = word if isinstance(word, str) else _written(word)
        glued = (
            not isinstance(word, str)
            and previous is not None
            and word.i == previous.i + 1
            and not previous.whitespace_
            and text.lower() == word.lower_
        )
        glued = glued or text in _CLOSING
        parts.append(text if glued or not parts else f" {text}")
        previous = None if isinstance(word, str) else word
    return "".join(parts)


def _written(token: Token) -> str:
    """The token inside a question: a sentence's first capital goes unless it is a name's."""
    text = spelled(token)
    named = token.ent_type_ or token.lower_ in proper_names() or text == "I"
    if token.is_sent_start and not named:
        return text[:1].lower() + text[1:]
    return text


def _finished(text: str) -> str:
    if text.count('"') % 2:
        text = text.replace('"', "")
    text = " ".join(text.split()).rstrip(" .,;:!?-")
    return f"{text[:1].upper()}{text[1:]}?" if text else ""
