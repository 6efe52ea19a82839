"""The calibrated bot: it knows its facts, and contradicts itself exactly as often as it is told to.

Everything it says follows from its own seed, the history, the persona and the call's seed; it
keeps no state. Asked for a fact, it repeats the value that it stated last in this dialogue (or
the persona's, or its own), except with probability `slip`, when it gives another value.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from staytrue.chatbots.messages import OWN
from staytrue.chatbots.persona import small_talk
from staytrue.chatbots.persona.fact import VALUE, Fact
from staytrue.chatbots.persona.understand import (
    BY_KIND,
    FACTS,
    Memory,
    is_yes_no,
    question_in,
    remember,
    stated_in,
    understood,
)
from staytrue.core.records import Turn
from staytrue.english.numbers import in_words


@dataclass(frozen=True, slots=True)
class CalibratedReply:
    """A reply and the truth about it, which only a calibrated bot can tell."""

    text: str
    kind: str | None = None
    """The fact that a question was understood to ask for."""
    believed: str | None = None
    """The value that it should have given."""
    slipped: bool = False
    """Whether it gave another one instead."""


@dataclass(frozen=True)
class PersonaChatbot:
    """Chats about a table of facts and slips with a known probability."""

    seed: int = 0
    slip: float = 0.0
    style: str = "plain"
    """"plain", or "lower" for a bot that writes no capitals."""

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        """The next turn; the same arguments always give the same one."""
        return self.say(history, persona=persona, seed=seed).text

    def say(
        self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0
    ) -> CalibratedReply:
        """The next turn and whether it contradicts what was said before."""
        last = history[-1].text if history and history[-1].speaker != OWN else ""
        # Two streams, so that the wording of a reply says nothing about its truth.
        words = random.Random(f"words|{self.seed}|{seed}|{len(history)}|{last}")
        fate = random.Random(f"fate|{self.seed}|{seed}|{len(history)}|{last}")
        memory = remember(history)
        beliefs = {**self.facts(persona), **memory.facts}
        question = question_in(last)
        asked = _asked_for(question, last, memory) if question else None
        if question is None or (asked is None and question in small_talk.BACK):
            reply = CalibratedReply(_chat(history, beliefs, memory, words))
        elif asked is None:
            reply = CalibratedReply(words.choice(small_talk.EVASIONS))
        else:
            reply = self._answer(BY_KIND[asked], beliefs[asked], question, words, fate)
        return reply if self.style == "plain" else _lower(reply)

    def facts(self, persona: Sequence[str] = ()) -> dict[str, str]:
        """The bot's own table: kind → value; a persona's sentences have the last word."""
        return {**_table(self.seed), **dict(stated_in(" ".join(persona)))}

    def _answer(
        self, fact: Fact, believed: str, question: str, words: random.Random, fate: random.Random
    ) -> CalibratedReply:
        slipped = fate.random() < self.slip
        if is_yes_no(question):
            text = _yes_no(fact, believed, question, slipped, words, fate)
        elif slipped and fact.denials and fate.random() < 0.2:
            text = fate.choice(fact.denials)
        else:
            text = _give(fact, _other(fact, believed, fate) if slipped else believed, words)
        text = _opened(words, small_talk.ANSWER_OPENERS, text)
        if words.random() < 0.2:
            text += " " + words.choice(small_talk.BACK)
        return CalibratedReply(text, fact.kind, believed, slipped)


def _asked_for(question: str, turn: str, memory: Memory) -> str | None:
    """The kind of fact asked for; "and you?" asks for what the turn itself tells."""
    if question in small_talk.BACK:
        told = stated_in(turn)
        return told[-1][0] if told else None
    return understood(question, tuple(memory.facts), memory.recent)


def _chat(
    history: Sequence[Turn], beliefs: dict[str, str], memory: Memory, words: random.Random
) -> str:
    parts = []
    if not any(turn.speaker == OWN for turn in history):
        parts.append(words.choice(small_talk.GREETINGS))
    elif words.random() < 0.5:
        parts.append(words.choice(small_talk.REACTIONS))
    if words.random() < 0.12:
        parts.append(words.choice(small_talk.FILLERS))
        return " ".join(parts)
    fact = _next_fact(memory, words)
    parts.append(_opened(words, small_talk.LEAD_INS, _state(fact, beliefs[fact.kind], words)))
    if words.random() < 0.4:
        parts.append(words.choice(_next_fact(memory, words).asks))
    elif words.random() < 0.15:
        parts.append(words.choice(small_talk.BACK))
    return " ".join(parts)


def _next_fact(memory: Memory, words: random.Random) -> Fact:
    """A fact that it has not talked about yet, while there are any."""
    fresh = [fact for fact in FACTS if fact.kind not in memory.facts]
    return words.choice(fresh or list(FACTS))


@lru_cache(maxsize=1024)
def _table(seed: int) -> dict[str, str]:
    draw = random.Random(f"table|{seed}")
    return {fact.kind: draw.choice(fact.values) for fact in FACTS}


def _state(fact: Fact, value: str, words: random.Random) -> str:
    return _filled(words.choice(fact.states), value)


def _give(fact: Fact, value: str, words: random.Random) -> str:
    """An answer: a statement, something shorter, or the value in other words."""
    if value in fact.indirect and words.random() < 0.2:
        return fact.indirect[value]
    forms = fact.answers if fact.answers and words.random() < 0.4 else fact.states
    return _filled(words.choice(forms), value)


def _yes_no(
    fact: Fact,
    believed: str,
    question: str,
    slipped: bool,
    words: random.Random,
    fate: random.Random,
) -> str:
    named = fact.mentioned(question) or _unknown_value(fact, question)
    if named is None and slipped and fact.denials:
        return f"No, {_uncapital(fate.choice(fact.denials))}"
    agrees = named in (None, believed)
    if named == _ANOTHER:
        # It can deny what it has no words for, but not confirm it in other words.
        return (
            "Yes, that's right." if slipped else f"No, {_uncapital(_state(fact, believed, words))}"
        )
    if slipped:
        value = named if named and not agrees else _other(fact, believed, fate)
        agrees = named in (None, value)
    else:
        value = believed
    word = "Yes" if agrees else "No"
    return f"{word}, {_uncapital(_state(fact, value, words))}"


_ANOTHER = "another value"
_ROUND = (*range(1, 13), 15, 20, 30, 40, 50)
_NUMBER = re.compile(
    rf"\b(?:\d[\d,.]*|{'|'.join(map(in_words, _ROUND))}|hundred|hate|hated|dislike|worst|least)\b",
    re.I,
)


def _unknown_value(fact: Fact, question: str) -> str | None:
    """Whether a question names a number, or a dislike, that is none of the fact's values."""
    own = " ".join(fact.states).lower()
    numbers = [word for word in _NUMBER.findall(question.lower()) if word not in own]
    return _ANOTHER if numbers else None


def _other(fact: Fact, value: str, draw: random.Random) -> str:
    return draw.choice([other for other in fact.values if other != value])


def _filled(shape: str, value: str) -> str:
    text = shape.replace(VALUE, value)
    return text[0].upper() + text[1:]


def _opened(words: random.Random, openers: Sequence[str], text: str) -> str:
    opener = words.choice(openers)
    inside = opener.endswith((", ", ": "))
    return opener + (_uncapital(text) if inside else text)


def _uncapital(text: str) -> str:
    """The sentence to go on with after a comma; names and "I" keep their capital."""
    first = text.split(" ", 1)[0].strip(",.'")
    plain = {"My", "The", "These", "There", "At", "It's", "No", "Nothing", "Nobody", "In", "On",
             "To", "For", "About", "Each", "Every", "Everybody", "People", "You", "They", "They're",
             "Of", "We", "If", "Apart", "She", "That's", "That", "Give"}  # fmt: skip
    return text[0].lower() + text[1:] if first in plain else text


def _lower(reply: CalibratedReply) -> CalibratedReply:
    return CalibratedReply(reply.text.lower(), reply.kind, reply.believed, reply.slipped)
