"""How a calibrated bot reads a dialogue: what it has said itself, and what it is asked."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from staytrue.chatbots.messages import OWN
from staytrue.chatbots.persona.fact import VALUE, Fact
from staytrue.chatbots.persona.life import LIFE
from staytrue.chatbots.persona.people import PEOPLE
from staytrue.chatbots.persona.tastes import TASTES
from staytrue.core.records import Turn
from staytrue.core.text import words
from staytrue.english.wording import WH_WORDS
from staytrue.english.words import function_words, lemma, sentences

FACTS: tuple[Fact, ...] = (*LIFE, *PEOPLE, *TASTES)
BY_KIND = {fact.kind: fact for fact in FACTS}

_EMPTY = frozenset("get got like more most other".split())
_SAME = {"kid": "child", "born": "birth", "favourite": "favorite", "film": "movie"}
# Nobody asks for a fact with the words that are left out.
_QUESTION_WORDS = (WH_WORDS - {"why", "whom", "whose"}).union(
    f"how {measure}" for measure in ("many", "much", "long", "far", "old")
)
_YES_NO = re.compile(
    r"(?:so |and |but |well,? )?(?:do|does|did|are|is|was|were|have|has|can|will|would|could)\b"
    r"(?:n't| not)? (?:you|your|it|there|the)\b",
    re.I,
)
# A question needs this much shared meaning with a fact that was not stated just before.
_ENOUGH = 1.7
_JUST_SAID = 2.0
_SAID_BEFORE = 0.3
_SAME_QUESTION_WORD = 0.6
# Every reply reads the whole dialogue again; what was said a while ago in others need not be kept.
_KEPT = 1024


def question_in(text: str) -> str | None:
    """The last question of a turn."""
    asked = [part for part in sentences(text) if part.endswith("?")]
    return asked[-1] if asked else None


def is_yes_no(question: str) -> bool:
    """Whether the question can be answered with yes or no."""
    return bool(_YES_NO.match(question))


@lru_cache(maxsize=_KEPT)
def stated_in(text: str) -> tuple[tuple[str, str], ...]:
    """(kind, value) of each fact that a text states in a known way."""
    values = ((fact.kind, fact.read(text)) for fact in FACTS)
    return tuple((kind, value) for kind, value in values if value is not None)


@dataclass(frozen=True, slots=True)
class Memory:
    """What the bot finds of itself in a dialogue."""

    facts: dict[str, str]
    """Kind → value that it stated last."""
    recent: tuple[str, ...]
    """Kinds that its last turn stated."""


def remember(history: Sequence[Turn]) -> Memory:
    """Read the bot's own turns."""
    stated_before: dict[str, str] = {}
    recent: tuple[str, ...] = ()
    for index, turn in enumerate(history):
        if turn.speaker == OWN:
            stated = dict(_facts_in(turn.text, _asked_before(history, index), stated_before))
            stated_before |= stated
            recent = tuple(stated)
    return Memory(stated_before, recent)


def _asked_before(history: Sequence[Turn], index: int) -> str | None:
    return question_in(history[index - 1].text) if index else None


def _facts_in(
    text: str, question: str | None, stated_before: dict[str, str]
) -> tuple[tuple[str, str], ...]:
    """Facts that a turn states, "two of them" after "how many cats do you have?" included."""
    stated = stated_in(text)
    if question is None:
        return stated
    kind = understood(question, tuple(stated_before), ())
    if kind is None or kind in dict(stated):
        return stated
    value = BY_KIND[kind].mentioned(text)
    return (*stated, (kind, value)) if value else stated


@lru_cache(maxsize=_KEPT)
def understood(
    question: str, stated_before: tuple[str, ...], recent: tuple[str, ...]
) -> str | None:
    """The kind of fact that a question asks for, or None.

    Shared words decide, rare ones weighing more; facts that were just stated are likelier.
    """
    for fact in FACTS:
        if question in fact.asks:
            return fact.kind
    asked = _content(question)
    word = _question_word(question)
    best: tuple[float, str] | None = None
    for fact in FACTS:
        vocabulary = _vocabulary()[fact.kind]
        shared = sum(_weight(w) for w in asked & vocabulary)
        if fact.mentioned(question):
            shared += 0.5
        if shared == 0 and fact.kind not in recent:
            continue
        score = shared
        score += (
            _JUST_SAID if fact.kind in recent else _SAID_BEFORE if fact.kind in stated_before else 0
        )
        score += _SAME_QUESTION_WORD if word in _question_words_of(fact.kind) else 0
        if score >= _ENOUGH and (best is None or score > best[0]):
            best = (score, fact.kind)
    return best[1] if best else None


def _content(text: str) -> frozenset[str]:
    empty = function_words() | _EMPTY
    return frozenset(_concept(word) for word in words(text) if word not in empty)


def _concept(word: str) -> str:
    """One word for what is asked about in several: "kids" and "children", "film" and "movie"."""
    base = lemma(word)
    return _SAME.get(base, _SAME.get(word, base))


@lru_cache(maxsize=1)
def _vocabulary() -> dict[str, frozenset[str]]:
    return {
        fact.kind: _content(
            " ".join((fact.kind, *fact.states, *fact.answers, *fact.asks)).replace(VALUE, " ")
        )
        for fact in FACTS
    }


@lru_cache(maxsize=1)
def _spread() -> Counter[str]:
    return Counter(word for vocabulary in _vocabulary().values() for word in vocabulary)


def _weight(word: str) -> float:
    return math.log(len(FACTS) / _spread()[word]) / 2


def _question_word(question: str) -> str:
    low = question.lower()
    candidates = [(low.find(word), -len(word), word) for word in _QUESTION_WORDS if word in low]
    return min(candidates)[2] if candidates else ""


@lru_cache(maxsize=len(FACTS))
def _question_words_of(kind: str) -> frozenset[str]:
    return frozenset(word for word in map(_question_word, BY_KIND[kind].asks) if word)
