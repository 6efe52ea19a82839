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
from staytrue.english.wording import expand, statements
from staytrue.english.words import function_words, is_person, lemma, verbs

# A dialogue's turns are compared with one another.
_KEPT = 1024
_BORDER = re.compile(
    r"[,;:.!?()\"]+(?!\d)| - |\b(?:and|but|because|so|though|although|since|while|when|which|as|"
    r"however|except|plus|or) (?=(?:also |just |really )?(?:i|my|he|his|she|her|it|its|they|their|"
    r"we|our|you|there|the|that|this)\b)",
    re.I,
)
_LOOSE_NEGATION = re.compile(r"\b(do|does|did|is|are|was|were|ca|wo|have|has|had) n'?t\b", re.I)
_NEGATIONS = frozenset("not no never none nothing nobody neither nor without hardly cannot".split())
# Words after which nothing is stated.
_OPEN = frozenset(
    "if would could should might may wish hope maybe perhaps unless whether used until than let "
    "lets please".split()
)
_ASKING = frozenset("what who how why where which when".split())
# They say how much or how surely; a denial with or without them is the same.
_DEGREES = frozenset(
    "really actually definitely much lot big huge ever always well quite pretty totally "
    "currently now sure yes yeah no oh right lol haha even particularly especially "
    "anymore more bit little though myself either".split()
)
# What one does not know, one may know more of.
_OF_THE_MIND = frozenset(
    "know think understand remember mean guess say tell mind agree matter wonder realize".split()
)
# Different words for the same relation; the last say that it does not hold.
_ALIKE = {
    **dict.fromkeys("love enjoy adore like fan lover".split(), "like"),
    **dict.fromkeys("have own got".split(), "have"),
    **dict.fromkeys("live reside".split(), "live"),
}
_OPPOSITE = {"hate": "like", "dislike": "like", "despise": "like"}
_BEFORE_VERBS = frozenset(
    "i you he she it we they do does did not never can will to also just still really even only "
    "ever actually always".split()
)
_OPENERS = re.compile(
    r"^(?:(?:no|nope|yes|yeah|yea|yep|well|oh|ok|okay|but|and|so|also|actually|sure|then|lol|"
    r"haha) )+"
)
_HAVE = frozenset("have has had".split())
_BE = frozenset("am is are was were be been".split())
# What they stand for is not told by the clause.
_POINTING = frozenset(
    "it them him her his hers he she they their its that this these those there one ones mine "
    "another other others".split()
)
_PEOPLE_OF_MANY_KINDS = frozenset(
    "fan lover person friend member believer one guy man girl woman boy human expert part "
    "supporter".split()
)
_MALE = frozenset("male man guy boy dude".split())
_FEMALE = frozenset("female woman girl lady gal".split())
_ONE_OF_ITS_KIND = frozenset("name age birthday job major profession occupation hometown".split())
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
class Clause:
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
        said = self.plain.split()
        return said[0] if said[0] in ("i", "my", "you", "your") else ""

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


def conflict(one: Clause, two: Clause) -> bool:
    """Whether the clauses speak of the same thing and differ in it."""
    if one.subject != two.subject or one.subject in ("you", "your") or one.verb != two.verb:
        return False
    if not one.subject and one.pointing != two.pointing and len(one.content & two.content) < 2:
        return False
    return _denies(one, two) or _differs(one, two)


@lru_cache(maxsize=_KEPT)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of what a text states, without those that leave open whether it is so."""
    parts = (part.strip() for told in statements(text) for part in _BORDER.split(told))
    return tuple(clause for part in parts if (clause := _read(part)) is not None)


def _read(text: str) -> Clause | None:
    plain = " ".join(words(to_digits(expand(_LOOSE_NEGATION.sub(r"\1n't", text)).lower())))
    said = _OPENERS.sub("", plain).split()
    if len(said) < 3 or _OPEN & set(said) or said[0] in _ASKING:
        return None
    content: list[str] = []
    objects: list[str] = []
    negated = bool(_NEGATIONS & set(said))
    verb = "have" if _HAVE & set(said) else "be" if _BE & set(said) else ""
    for before, word in zip(["", *said], said, strict=False):
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
    numbers = frozenset(word for word in said if _NUMBER.match(word))
    return Clause(
        text, " ".join(said), negated, frozenset(content),
        frozenset(objects), verb, numbers,
    )  # fmt: skip


def _denies(one: Clause, two: Clause) -> bool:
    """Whether one says in the same words what the other says is not so."""
    if one.negated == two.negated:
        return False
    denied, said = (one, two) if one.negated else (two, one)
    if not denied.objects or denied.content & _OF_THE_MIND or said.content & _OF_THE_MIND:
        return False
    if denied.numbers != said.numbers or denied.pointing - said.pointing:
        return False
    if said.pointing - denied.pointing and said.content != denied.content:
        return False
    return denied.content <= said.content and len(said.content - denied.content) <= 2


def _differs(one: Clause, two: Clause) -> bool:
    """Whether both give a value to what has only one, and another one."""
    if one.negated or two.negated:
        return False
    left, right = _value(one), _value(two)
    if left is not None and right is not None:
        return left[0] == right[0] and _disjoint(left[1], right[1])
    return _has_other_numbers(one, two)


def _value(clause: Clause) -> tuple[str, str] | None:
    """What has one value, and the value."""
    text = clause.plain
    if found := _AGE.match(text):
        return "age", found[1]
    if found := _NAMED.match(text):
        return "name", found[1]
    if found := _HOME.match(text):
        return _PLACES.get(found[1], found[1]), found[2]
    if found := _WORK.match(text):
        return _being(found[1])
    found = _OWN.match(text)
    if found is None:
        return None
    key = found[1].split()
    if {"favorite", "favourite"} & set(key[:-1]) or key[-1] in _ONE_OF_ITS_KIND:
        return " ".join(lemma(word) for word in key), found[2]
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


def _has_other_numbers(one: Clause, two: Clause) -> bool:
    """Whether the clauses say the same but for a number."""
    if len(one.numbers) != 1 or len(two.numbers) != 1 or one.numbers == two.numbers:
        return False
    left, right = one.content - one.numbers, two.content - two.numbers
    return bool(left) and left == right
