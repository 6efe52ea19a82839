"""Which clauses of two turns speak of the same thing and differ in it, by their words.

An entailment model calls many pairs of unrelated chat contradictions. Two clauses contradict each
other plainly in two ways: one denies what the other says, in the same words; or both fill in what
has one value (a name, an age, a home, a favourite, a year), and the values differ.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from staytrue.core.text import words
from staytrue.english.numbers import to_digits
from staytrue.english.wording import WH_WORDS, expand, statements
from staytrue.english.words import function_words, is_person, lemma, negations, verbs, word_groups

# A dialogue's turns are compared with one another.
_KEPT = 1024
_BORDER = re.compile(
    r"[,;:.!?()\"]+(?!\d)| - |\b(?:and|but|because|so|though|although|since|while|when|which|as|"
    r"however|except|plus|or) (?=(?:also |just |really )?(?:i|my|he|his|she|her|it|its|they|their|"
    r"we|our|you|there|the|that|this)\b)",
    re.I,
)
_LOOSE_NEGATION = re.compile(r"\b(do|does|did|is|are|was|were|ca|wo|have|has|had) n'?t\b", re.I)
_WORDS = word_groups("conflicts")
_NEGATIONS = negations() | {"hardly"}
_OPEN = frozenset(_WORDS["leaves open"])
_DEGREES = frozenset(_WORDS["degrees"])
_OF_THE_MIND = frozenset(_WORDS["of the mind"])
_ALIKE = dict(entry.split("=") for entry in _WORDS["alike"])
_OPPOSITE = dict(entry.split("=") for entry in _WORDS["opposite"])
_BEFORE_VERBS = frozenset(_WORDS["before verbs"])
_OPENERS = re.compile(rf"^(?:(?:{'|'.join(_WORDS['openers'])}) )+")
_HAVE = frozenset("have has had".split())
_BE = frozenset("am is are was were be been".split())
_POINTING = frozenset(_WORDS["pointing"])
_PEOPLE_OF_MANY_KINDS = frozenset(_WORDS["of many kinds"])
_MALE, _FEMALE = frozenset(_WORDS["male"]), frozenset(_WORDS["female"])
_ONE_OF_ITS_KIND = frozenset(_WORDS["one of its kind"])
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*$")
_AGE = re.compile(
    r"^i am (?:only |just |about )?(?:an? )?(\d{1,2})(?: years? old\b.*| year old\b.*)?$"
)
_HOME = re.compile(
    r"^i (?:am |was |have |do |did )?(?:actually |currently |just |still |also |originally )*"
    r"(from|live in|living in|lived in|born in|born and raised in|grew up in|raised in) (.+)$"
)
_OWN = re.compile(r"^(?:.* )?my ((?:[\w-]+ ){1,3}?)(?:is|was|are) (.+)$")
_NAMED = re.compile(r"^(?:.* )?my name is ([\w-]+)\b")
_WORK = re.compile(
    r"^i (?:am|work as) (?:also |currently |actually |just )*an? ((?:[\w-]+ ){0,2}[\w-]+)$"
)
_PLACES = {"living in": "live in", "born and raised in": "born in", "raised in": "grew up in"}


@dataclass(frozen=True, slots=True)
class ChatClause:
    """A clause of a statement, as far as its words tell."""

    text: str
    plain: str
    """In lower case, contractions written out, numbers in digits."""
    negated: bool
    content: frozenset[str]
    """Lemmas that say something."""
    objects: frozenset[str]
    """Those of them that are not the verb."""
    verb: str
    """The lemma of its verb; empty if it has none."""
    numbers: frozenset[str]

    @property
    def subject(self) -> str:
        """Whom it is about: the speaker, something of the speaker's, or what its words say."""
        first, *_ = self.plain.split()
        return first if first in ("i", "my", "you", "your") else ""

    @property
    def pointing(self) -> frozenset[str]:
        """Its words that stand for something outside of it."""
        return _POINTING & set(self.plain.split())


def conflicts(first: str, second: str) -> list[tuple[str, str]]:
    """Pairs of clauses, one of each text, that speak of the same thing and differ in it."""
    return [
        (one.text, two.text)
        for one in clauses(first)
        for two in clauses(second)
        if conflict(one, two)
    ]


def conflict(one: ChatClause, two: ChatClause) -> bool:
    """Whether the clauses speak of the same thing and differ in it."""
    if one.subject != two.subject or one.subject in ("you", "your") or one.verb != two.verb:
        return False
    if not one.subject and one.pointing != two.pointing and len(one.content & two.content) < 2:
        return False
    return _denies(one, two) or _differs(one, two)


@lru_cache(maxsize=_KEPT)
def clauses(text: str) -> tuple[ChatClause, ...]:
    """The clauses of what a text states, without those that leave open whether it is so."""
    parts = (part.strip() for told in statements(text) for part in _BORDER.split(told))
    return tuple(clause for part in parts if (clause := _read(part)) is not None)


def _read(text: str) -> ChatClause | None:
    plain = " ".join(words(to_digits(expand(_LOOSE_NEGATION.sub(r"\1n't", text)).lower())))
    tokens = _OPENERS.sub("", plain).split()
    if len(tokens) < 3 or _OPEN & set(tokens) or tokens[0] in WH_WORDS:
        return None
    content: list[str] = []
    objects: list[str] = []
    negated = bool(_NEGATIONS & set(tokens))
    verb = "have" if _HAVE & set(tokens) else "be" if _BE & set(tokens) else ""
    for before, word in zip(["", *tokens], tokens, strict=False):
        if word in function_words() or word in _DEGREES or word in _NEGATIONS:
            continue
        form = lemma(word)
        if form in _OPPOSITE:
            negated = not negated
        form = _ALIKE.get(form) or _OPPOSITE.get(form, form)
        content.append(form)
        if form == "like" and word.startswith(("fan", "lover")):
            verb = form
            continue
        inflected = before in _HAVE | _BE and form != word and not word.endswith("s")
        if (before in _BEFORE_VERBS or inflected) and form in verbs():
            verb = form
        else:
            objects.append(form)
    if not verb:
        return None
    verb = _ALIKE.get(verb, verb)
    numbers = frozenset(word for word in tokens if _NUMBER.match(word))
    return ChatClause(
        text, " ".join(tokens), negated, frozenset(content),
        frozenset(objects), verb, numbers,
    )  # fmt: skip


def _denies(one: ChatClause, two: ChatClause) -> bool:
    """Whether one says in the same words what the other says is not so."""
    if one.negated == two.negated:
        return False
    denied, stated = (one, two) if one.negated else (two, one)
    if not denied.objects or denied.content & _OF_THE_MIND or stated.content & _OF_THE_MIND:
        return False
    if denied.numbers != stated.numbers or denied.pointing - stated.pointing:
        return False
    if stated.pointing - denied.pointing and stated.content != denied.content:
        return False
    return denied.content <= stated.content and len(stated.content - denied.content) <= 2


def _differs(one: ChatClause, two: ChatClause) -> bool:
    """Whether both give a value to what has only one, and another one."""
    if one.negated or two.negated:
        return False
    left, right = _value(one), _value(two)
    if left is not None and right is not None:
        return left[0] == right[0] and _disjoint(left[1], right[1])
    return _has_other_numbers(one, two)


def _value(clause: ChatClause) -> tuple[str, str] | None:
    """What has one value, and the value."""
    text = clause.plain
    if match := _AGE.match(text):
        return "age", match[1]
    if match := _NAMED.match(text):
        return "name", match[1]
    if match := _HOME.match(text):
        return _PLACES.get(match[1], match[1]), match[2]
    if match := _WORK.match(text):
        return _being(match[1])
    match = _OWN.match(text)
    if match is None:
        return None
    key = match[1].split()
    if {"favorite", "favourite"} & set(key[:-1]) or key[-1] in _ONE_OF_ITS_KIND:
        return " ".join(lemma(word) for word in key), match[2]
    return None


def _being(noun: str) -> tuple[str, str] | None:
    head = noun.split()[-1]
    if head in _MALE or head in _FEMALE:
        return "gender", "male" if head in _MALE else "female"
    if is_person(head) and head not in _PEOPLE_OF_MANY_KINDS:
        return "work", noun
    return None


def _disjoint(left: str, right: str) -> bool:
    one, two = ({lemma(word) for word in words(text)} - function_words() for text in (left, right))
    return bool(one and two) and not one & two


def _has_other_numbers(one: ChatClause, two: ChatClause) -> bool:
    """Whether the clauses say the same but for a number."""
    if len(one.numbers) != 1 or len(two.numbers) != 1 or one.numbers == two.numbers:
        return False
    left, right = one.content - one.numbers, two.content - two.numbers
    return bool(left) and left == right
