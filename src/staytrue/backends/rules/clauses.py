"""The clause that holds a span, and the words of a question: who, when, how many, does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from staytrue.english import words as english
from staytrue.english.parses import is_behind, is_plural
from staytrue.english.words import reply_openers, word_list

if TYPE_CHECKING:
    from spacy.tokens import Span as Stretch
    from spacy.tokens import Token

_SUBJECTS = ("nsubj", "nsubjpass", "expl", "csubj", "csubjpass")
_FINITE = ("VBD", "VBZ", "VBP", "MD")
_RELATIVE = ("WDT", "WP", "WP$", "WRB")
# Children of a verb that belong to another clause or to none.
_LEFT_OUT = ("cc", "mark", "intj", "parataxis", "meta", "discourse", "preconj")
# Phrases that may merely hang on behind a comma.
_LOOSE = ("appos", "relcl", "parataxis")
# Words that only open a reply.
_OPENERS = reply_openers() | frozenset(
    "yea no nope also anyway plus and but or interesting true".split()
)
PLACES = frozenset({"GPE", "LOC", "FAC"})
NUMBERS = frozenset({"CARDINAL", "QUANTITY", "MONEY", "PERCENT"})
# Nouns that name a stretch of time: "in what century", "what season".
TIME_NOUNS = frozenset(
    "century year decade month week day season era period age time hour minute morning evening "
    "summer winter spring autumn night".split()
)
DURATIONS = frozenset("second minute hour day week month year decade century time".split())
_WHO = frozenset("he she him her we us you i me who they them american european".split())
# They make persons of verbs, but for the nouns of the list `not_people`.
_PERSON_ENDINGS = ("er", "or", "ist", "eer", "ian", "man", "woman")
_BE = {"is": "is", "are": "is", "am": "is", "was": "was", "were": "was"}


@dataclass(frozen=True)
class Clause:
    """One finite clause with a subject; tokens are in text order."""

    verb: Token
    subject: tuple[Token, ...]
    subject_head: Token
    auxiliaries: tuple[Token, ...]
    """Finite and other auxiliaries before the verb, the first to be moved."""
    inserted: str
    """An auxiliary that the text leaves out: "a company (that is) called X"."""
    rest: tuple[Token, ...]
    """The verb and everything after the subject, adverbials that stood first at the end."""

    @property
    def tag(self) -> str:
        """The verb's tag, where a tagger's slip on informal text is mended."""
        if self.auxiliaries or self.inserted:
            return str(self.verb.tag_)
        return {"VBN": "VBD", "VB": "VBP", "VBG": "VBP"}.get(self.verb.tag_, self.verb.tag_)


def find_clause(stretch: Stretch) -> Clause | None:
    """The innermost clause with a subject around the span; None for a fragment."""
    token = stretch.root
    while True:
        if token.pos_ in ("VERB", "AUX"):
            clause = _clause_at(token, stretch)
            if clause:
                return clause
        if token.head == token:
            return None
        token = token.head


def _clause_at(verb: Token, stretch: Stretch) -> Clause | None:
    if _is_infinitive(verb):
        return None
    own = next((c for c in verb.children if c.dep_ in _SUBJECTS), None)
    if own is not None and own.tag_ not in _RELATIVE:
        return _clause_with_own_subject(verb, own, stretch)
    if verb.dep_ in ("relcl", "acl") and verb.head.pos_ not in ("VERB", "AUX"):
        return _clause_about_antecedent(verb, own, stretch)
    if verb.dep_ == "conj" and own is None and verb.head.pos_ in ("VERB", "AUX"):
        return _clause_that_shares_a_subject(verb, stretch)
    return None


def _is_infinitive(verb: Token) -> bool:
    helpers = [c for c in verb.children if c.dep_ in ("aux", "auxpass")]
    if any(c.tag_ == "TO" for c in helpers):
        return True
    return verb.tag_ == "VBG" and not helpers and verb.dep_ not in ("relcl", "acl", "ROOT")


def _clause_with_own_subject(verb: Token, own: Token, stretch: Stretch) -> Clause:
    subject = _phrase(own)
    rest = _rest(verb, stretch, without={t.i for t in subject})
    if verb.dep_ == "relcl" and not any(t.dep_ == "dobj" for t in verb.children):
        # "the song that he wrote": the antecedent is what he wrote.
        rest = _without_relatives(rest) + _antecedent(verb)
    return _made(verb, subject, own, rest)


def _clause_about_antecedent(
    verb: Token, relative: Token | None, stretch: Stretch
) -> Clause | None:
    """ "habitats that are located in X" → habitats are located in X."""
    subject = _antecedent(verb)
    if any(t in stretch for t in subject):
        return None
    rest = _rest(verb, stretch, without={relative.i} if relative is not None else set())
    inserted = ""
    if relative is None and verb.tag_ in ("VBN", "VBG", "VBD"):
        inserted = _be_for(verb)
    elif relative is None:
        return None
    return _made(verb, subject, verb.head, _without_relatives(rest), inserted)


def _clause_that_shares_a_subject(verb: Token, stretch: Stretch) -> Clause | None:
    """ "they were bred and (they were) sold" → they were sold."""
    first = verb.head
    while first.dep_ == "conj" and not any(c.dep_ in _SUBJECTS for c in first.children):
        first = first.head
    head = next((c for c in first.children if c.dep_ in _SUBJECTS), None)
    if head is None or head.tag_ in _RELATIVE:
        return None
    clause = _made(verb, _phrase(head), head, _rest(verb, stretch, without=set()))
    if clause.auxiliaries or verb.tag_ in _FINITE:
        return clause
    shared = tuple(c for c in first.children if c.dep_ in ("aux", "auxpass") and c.tag_ != "TO")
    return Clause(clause.verb, clause.subject, head, shared, "", clause.rest)


def _made(
    verb: Token,
    subject: tuple[Token, ...],
    head: Token,
    rest: tuple[Token, ...],
    inserted: str = "",
) -> Clause:
    helpers = tuple(
        c for c in verb.children if c.dep_ in ("aux", "auxpass") and c.i < verb.i and c.tag_ != "TO"
    )
    kept = tuple(t for t in rest if t not in helpers)
    return Clause(verb, subject, head, helpers, inserted, kept)


def _phrase(head: Token) -> tuple[Token, ...]:
    """A noun phrase without what merely hangs on behind a comma."""
    whole = subtree(head)
    hanging = _hanging(whole, head)
    return trimmed(t for t in whole if t.i not in hanging)


def _hanging(tokens: Iterable[Token], head: Token) -> set[int]:
    """Those of the tokens that, below the head, merely hang on behind a comma."""
    return _below(tokens, lambda t: t.dep_ in _LOOSE and is_behind(t, ",;:(-–"), top=head)


def subtree(head: Token) -> list[Token]:
    """The token and all that depend on it, in text order."""
    around = head.doc[head.left_edge.i : head.right_edge.i + 1]
    below = _below(around, lambda token: token == head)
    return [token for token in around if token.i in below]


def _below(
    tokens: Iterable[Token], marked: Callable[[Token], bool], top: Token | None = None
) -> set[int]:
    """Those of the tokens that are marked or depend on a marked one; `top` and above are not.

    Each token is looked at once: members of a long list depend on one another in one long chain.
    """
    known = {top.i: False} if top is not None else {}
    for token in tokens:
        path = [token]
        while path[-1].i not in known:
            last = path[-1]
            if marked(last):
                known[last.i] = True
            elif last.head == last:
                known[last.i] = False
            else:
                path.append(last.head)
        known.update(dict.fromkeys((step.i for step in path), known[path[-1].i]))
    return {index for index, below in known.items() if below}


def trimmed(tokens: Iterable[Token]) -> tuple[Token, ...]:
    """The tokens in text order, without punctuation at the edges."""
    kept = sorted(tokens, key=lambda t: t.i)
    while kept and kept[0].is_punct and kept[0].text not in ('"', "'"):
        kept.pop(0)
    while kept and kept[-1].is_punct and kept[-1].text not in ('"', "'", ")"):
        kept.pop()
    return tuple(kept)


def _rest(verb: Token, stretch: Stretch, *, without: set[int]) -> tuple[Token, ...]:
    """The verb and its complements; what stood before the subject comes last."""
    dropped: set[int] = set()
    for child in verb.children:
        if _belongs_elsewhere(child, verb, stretch):
            dropped.update(t.i for t in subtree(child))
    kept = [t for t in subtree(verb) if t.i not in dropped and t.i not in without]
    kept = [t for t in kept if not (t.is_punct and t.head == verb and t.text != '"')]
    hanging = _hanging(kept, verb) - _with_the_span(kept, stretch)
    kept = [t for t in kept if t in stretch or t.i not in hanging]
    border = min([verb.i, *without, *(c.i for c in verb.children if c.dep_.startswith("aux"))])
    leading = [t for t in kept if t.i < border]
    following = [t for t in kept if t.i >= border]
    leading = list(trimmed(t for t in leading if t.lower_ not in _OPENERS and t.tag_ != "WRB"))
    return (*trimmed(following), *leading)


def _belongs_elsewhere(child: Token, verb: Token, stretch: Stretch) -> bool:
    if child.dep_ in _LEFT_OUT:
        return True
    if _contains(child, stretch):
        return False
    if child.dep_ == "conj" and child.pos_ in ("VERB", "AUX"):
        return True
    if child.dep_ == "ccomp" and child.i < verb.i:
        return True
    if child.dep_ == "advcl":
        marked = any(c.dep_ in ("mark", "advmod") for c in child.children)
        return marked or child.i < verb.i
    return child.dep_ == "advmod" and child.lower_ in _OPENERS and child.i < verb.i


def _contains(token: Token, stretch: Stretch) -> bool:
    return token == stretch.root or token in stretch.root.ancestors


def _with_the_span(tokens: Iterable[Token], stretch: Stretch) -> set[int]:
    """Those of the tokens that stand in a hanging-on phrase that holds the span itself."""
    holders = {stretch.root.i, *(above.i for above in stretch.root.ancestors)}
    return _below(tokens, lambda token: token.dep_ in _LOOSE and token.i in holders)


def _antecedent(verb: Token) -> tuple[Token, ...]:
    """The noun phrase that a relative clause hangs on, without that clause."""
    inside = {t.i for t in subtree(verb)}
    return trimmed(t for t in _phrase(verb.head) if t.i not in inside)


def _without_relatives(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    return tuple(t for t in tokens if not (t.tag_ in _RELATIVE and t.dep_ != "det"))


def _be_for(verb: Token) -> str:
    """The form of "be" that a shortened relative clause leaves out."""
    governors = [t for above in verb.ancestors for t in (above, *above.lefts)]
    finite = next((t for t in governors if t.tag_ in _FINITE), None)
    dated = any(t.ent_type_ == "DATE" for t in subtree(verb))
    past = dated or (finite is not None and finite.tag_ == "VBD")
    if is_plural(verb.head):
        return "were" if past else "are"
    return "was" if past else "is"


def is_person(token: Token) -> bool:
    """Whether the noun or pronoun at the head of a span names somebody."""
    lemma = token.lemma_.lower()
    word = token.lower_
    if token.ent_type_ and token.ent_type_ not in ("PERSON", "NORP"):
        return False
    if token.ent_type_ == "PERSON" or word in _WHO or english.name_a_person((word, lemma)):
        return True
    return (
        token.pos_ == "NOUN"
        and len(lemma) > 4
        and lemma.endswith(_PERSON_ENDINGS)
        and lemma not in word_list("not_people")
    )


def base_form(verb: Token) -> str:
    """The infinitive of a verb."""
    return "have" if verb.lower_ in ("'ve", "has", "had") else verb.lemma_.lower()


def third_person(word: str, tag: str) -> str:
    """The verb as it agrees with "who" or "what": have → has, were → was, live → lives."""
    low = word.lower()
    if low in _BE:
        return _BE[low]
    if tag not in ("VBP", "VB"):
        return word
    return "is" if low == "be" else english.third_person(low)


def do_form(tag: str) -> str:
    """The form of "do" that carries the tense of a verb."""
    return {"VBD": "did", "VBZ": "does"}.get(tag, "do")


def question_words(stretch: Stretch, label: str) -> list[str]:
    """What may stand for the span as a whole noun phrase, best first."""
    head = stretch.root
    lemma = head.lemma_.lower()
    words: list[str] = []
    if label == "PERSON" or (not label and is_person(head)) or (label == "NORP" and _noun(head)):
        words.append("who")
    elif label == "DATE":
        words += _date_words(stretch, lemma)
    elif label == "TIME" and lemma in TIME_NOUNS | {"am", "pm", "clock"}:
        words.append("what time")
    elif label == "MONEY":
        words.append("how much money")
    elif label == "PERCENT":
        words.append("what percentage")
    elif label in ("CARDINAL", "QUANTITY"):
        words.append("how many" if label == "CARDINAL" else "how much")
    elif label == "GPE":
        words += ["what place"]
    elif lemma in TIME_NOUNS:
        words.append(f"what {lemma}")
    words.append("what")
    if head.lower_ in ("they", "them", "these", "those") or label in ("ORG", "NORP"):
        words.append("who")
    return list(dict.fromkeys(words))


def _date_words(stretch: Stretch, lemma: str) -> list[str]:
    text = stretch.text
    if len(stretch) == 1 and text.isdigit() and len(text) == 4:
        return ["what year"]
    if text.endswith("s") and text[:4].isdigit():
        return ["what decade"]
    if lemma in TIME_NOUNS:
        return [f"what {lemma}"]
    return ["when"]


def _noun(token: Token) -> bool:
    return token.pos_ in ("NOUN", "PROPN") and token.dep_ not in ("amod", "compound", "nmod")
