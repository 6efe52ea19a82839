"""A bot that reads its answers from its persona and from what it said before.

extractive:                        the whole persona and history
extractive:memory=1,persona=off    a forgetful one: the last turn only
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from staytrue.chatbots.messages import OWN
from staytrue.core.errors import ModelError
from staytrue.core.protocols import (
    Answer,
    Entailment,
    EntailmentModel,
    Pair,
    Query,
    QuestionAnswerer,
)
from staytrue.core.records import Turn
from staytrue.core.text import words
from staytrue.english.statements import declare
from staytrue.english.wording import expand, is_question, statements
from staytrue.english.words import function_words, lemma, sentences
from staytrue.plugins.registry import load_backend

UNSURE = "i am not sure."
_ASKING = frozenset("many much kind type any ever".split())


@dataclass(frozen=True)
class ExtractiveChatbot:
    """Answers with the sentence of its own that answers the question."""

    reader: QuestionAnswerer = field(repr=False)
    judge: EntailmentModel = field(repr=False)
    memory: int = 0
    """Turns of the dialogue that it remembers; 0: all."""
    persona: bool = True
    """Whether it remembers its persona."""

    def reply(self, history: Sequence[Turn], *, persona: Sequence[str] = (), seed: int = 0) -> str:
        """The sentence that holds the answer, with a yes or no where one was asked for."""
        if not history:
            return "hi, how are you?"
        asked = [s for s in sentences(history[-1].text) if is_question(s)]
        if not asked:
            return "that is nice. tell me more."
        known = self._known(history, persona)
        question = asked[-1]
        if not known:
            return UNSURE
        claim = declare(question)
        return self._read(question, known) if claim is None else self._decide(claim, known)

    def _known(self, history: Sequence[Turn], persona: Sequence[str]) -> list[str]:
        """What it may answer from: its persona, and its own statements in the dialogue."""
        past = list(history[:-1])
        if self.memory:
            past = past[-2 * self.memory :]
        own = [s for turn in past if turn.speaker == OWN for s in statements(turn.text)]
        lines = [*(persona if self.persona else ()), *own]
        return [line for line in dict.fromkeys(_tidy(line) for line in lines) if words(line)]

    def _read(self, question: str, known: list[str]) -> str:
        passage = " ".join(known)
        answer = self.reader.answer([Query(question, passage)])[0]
        if answer.text is None:
            nearest = _nearest(question, known)
            answer = self.reader.answer([Query(question, nearest)])[0]
            return nearest if answer.text is not None else UNSURE
        if answer.start is not None:
            end = 0
            for line in known:
                end += len(line) + 1
                if answer.start < end:
                    return line
        return answer.text

    def _decide(self, claim: str, known: list[str]) -> str:
        """Yes or no, by whether the nearest sentence of its own bears the claim out."""
        nearest = _nearest(claim, known)
        shared = _content(claim) & _content(nearest)
        if not shared and len(known) > 1:
            opinions = self.judge.infer([Pair(line, claim) for line in known])
            best = max(range(len(known)), key=lambda n: 1 - opinions[n].neutral)
            nearest, opinion = known[best], opinions[best]
        else:
            opinion = self.judge.infer([Pair(nearest, claim)])[0]
        yes = opinion.entailment > opinion.contradiction
        return f"{'yes' if yes else 'no'}, {nearest}"


class Remembering:
    """Models that are asked the same thing once: benchmarks repeat personas and questions."""

    def __init__(self, reader: QuestionAnswerer, judge: EntailmentModel) -> None:
        self._answer = lru_cache(maxsize=50_000)(lambda query: reader.answer([query])[0])
        self._infer = lru_cache(maxsize=50_000)(lambda pair: judge.infer([pair])[0])

    def answer(self, queries: Sequence[Query]) -> list[Answer]:
        """Each query's answer."""
        return [self._answer(query) for query in queries]

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        """Each pair's entailment."""
        return [self._infer(pair) for pair in pairs]


def _tidy(line: str) -> str:
    text = expand(line).strip(" .!,")
    return f"{text}." if text else ""


def _content(text: str) -> set[str]:
    empty = function_words() | _ASKING
    return {lemma(word) for word in words(expand(text)) if word not in empty}


def _nearest(question: str, known: list[str]) -> str:
    """The sentence that shares most words with the question, the first of equals."""
    asked = _content(question)
    return max(known, key=lambda line: len(asked & _content(line)) / (len(_content(line)) + 3))


def load(*, memory: int = 0, persona: bool = True, backend: str = "embedded") -> ExtractiveChatbot:
    """Make the bot; it takes its models by the backend's name, as metrics do."""
    loaded = load_backend(backend)
    if not (isinstance(loaded, QuestionAnswerer) and isinstance(loaded, EntailmentModel)):
        raise ModelError("The extractive bot needs a backend that can answer and infer.")
    models = Remembering(loaded, loaded)
    return ExtractiveChatbot(models, models, memory, persona)
