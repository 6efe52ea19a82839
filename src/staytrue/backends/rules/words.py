"""Words of the question rules: question words by entity type and noun, and verb forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staytrue.english import people

if TYPE_CHECKING:
    from spacy.tokens import Span as Stretch
    from spacy.tokens import Token

PLACES = frozenset({"GPE", "LOC", "FAC"})
NUMBERS = frozenset({"CARDINAL", "QUANTITY", "MONEY", "PERCENT"})
# Nouns that name a stretch of time: "in what century", "what season".
TIME_NOUNS = frozenset(
    "century year decade month week day season era period age time hour minute morning evening "
    "summer winter spring autumn night".split()
)
DURATIONS = frozenset("second minute hour day week month year decade century time".split())
_WHO = frozenset("he she him her we us you i me who they them american european".split())
# "-er", "-or", "-ist" make persons of verbs, but not in these.
_NOT_PEOPLE = frozenset(
    "computer number water letter paper order power computer weather winter summer river center "
    "theater chapter burger flower color flavor factor motor error butter matter character "
    "december november october september cancer tower layer silver corner beer deer pepper monster "
    "poster sweater transformer mirror sector tractor vector interior exterior honor humor labor "
    "list twist mist christ dinner shower finger hamburger container answer newspaper disorder "
    "danger border feather leather member thriller super cover dollar meter helicopter filter "
    "quarter semester ladder bladder horror terror calculator refrigerator elevator hunger anger "
    "laser laughter slaughter weather prefer feeder sugar meter timber ember fiber amber liver "
    "copper sticker trailer supper cheeseburger supermarket cylinder boxer wonder hyper banner "
    "behavior minor major superior senior junior prior floor door monitor conductor rumor armor "
    "tumor razor metaphor sensor reactor spider hamster tiger lobster panther beaver retriever "
    "terrier rottweiler".split()
)
_PERSON_ENDINGS = ("er", "or", "ist", "eer", "ian", "man", "woman")
_BE = {"is": "is", "are": "is", "am": "is", "was": "was", "were": "was"}
_IRREGULAR_S = {"have": "has", "do": "does", "go": "goes", "be": "is"}


def is_person(token: Token) -> bool:
    """Whether the noun or pronoun at the head of a span names somebody."""
    lemma = token.lemma_.lower()
    word = token.lower_
    if token.ent_type_ and token.ent_type_ not in ("PERSON", "NORP"):
        return False
    if token.ent_type_ == "PERSON" or word in _WHO or people.name_a_person((word, lemma)):
        return True
    return (
        token.pos_ == "NOUN"
        and len(lemma) > 4
        and lemma.endswith(_PERSON_ENDINGS)
        and lemma not in _NOT_PEOPLE
    )


def is_plural(token: Token) -> bool:
    """Whether the head of a noun phrase takes a plural verb."""
    if any(child.dep_ == "conj" for child in token.children):
        return True
    return token.tag_ in ("NNS", "NNPS") or token.lower_ in ("they", "we", "these", "those", "you")


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
    if low in _IRREGULAR_S:
        return _IRREGULAR_S[low]
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return low + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return low[:-1] + "ies"
    return low + "s"


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
