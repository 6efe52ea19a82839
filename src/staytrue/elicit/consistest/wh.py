"""WH questions from statements: a question generator asks, a reader finds the truth.

The models see the agent's own words ("What do I wear?"); the probe asks the agent ("What do you
wear?"). The reader must find the span that the question was made for, and a fact that leaves room
for other answers ("i love cats") gives no WH question (ConsisTest, Appendix A).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from staytrue.core.protocols import Answer, Query, Span, Target
from staytrue.core.records import Probe
from staytrue.core.text import words
from staytrue.elicit.consistest.drops import Candidates, Drop
from staytrue.english.numbers import to_digits
from staytrue.english.person import text_to_second
from staytrue.english.wording import AUXILIARIES, WH_WORDS, expand
from staytrue.english.words import name_a_person
from staytrue.metrics.q2.steps import normalise_answer


class WhModels(Protocol):
    """A backend that finds spans, asks about them and reads answers."""

    def spans(self, texts: Sequence[str]) -> list[list[Span]]: ...
    def ask(self, targets: Sequence[Target]) -> list[list[str]]: ...
    def answer(self, queries: Sequence[Query]) -> list[Answer]: ...


_POINTING = frozenset("i me you it them they he she him her us we this that some things".split())
# What these verbs take, one may have many of.
_NOT_EXCLUSIVE = frozenset(
    "like love enjoy hate dislike adore play watch read eat drink listen speak study collect have "
    "own grow know visit try cook buy wear do spend take go work want need make see meet use "
    "sing".split()
)
_EXCLUSIVE = frozenset("only favorite favourite most preferred best first next current".split())
_THIN = frozenset(
    "what who which where when how do does did am is are was were have has i you to in of with "
    "for on at the a an my your like love enjoy be been can will would".split()
)
_OUTSIDE = frozenset("it this that these those them they he she him".split())
_PREPOSITIONS = frozenset("in on at for with from to by of".split())
_PLURALS = frozenset(["kids", "children", "people", "parents", "family"])
_CANDIDATES = 3
_LONGEST = 14


def wh_probes(
    statements: Sequence[str],
    models: WhModels,
    *,
    source: str,
    turns: Sequence[int | None] | None = None,
) -> list[Candidates]:
    """The WH probes of each statement, and the candidates that were dropped."""
    turns = turns or [None] * len(statements)
    texts = [expand(statement) for statement in statements]
    targets = [
        (index, Target(text, span))
        for index, (text, spans) in enumerate(zip(texts, models.spans(texts), strict=True))
        for span in spans
        if normalise_answer(span.text) and span.text.lower() not in _POINTING
    ]
    asked = models.ask([target for _, target in targets])
    candidates = [
        (index, target, question)
        for (index, target), questions in zip(targets, asked, strict=True)
        for question in _ordered(questions, target.span)[:_CANDIDATES]
    ]
    answers = models.answer([Query(q, target.text) for _, target, q in candidates])
    return _chosen(statements, candidates, answers, source, turns)


def _chosen(
    statements: Sequence[str],
    candidates: Sequence[tuple[int, Target, str]],
    answers: Sequence[Answer],
    source: str,
    turns: Sequence[int | None],
) -> list[Candidates]:
    """For each span the first question that survives, else the reason against the best one."""
    kept: list[dict[str, Probe]] = [{} for _ in statements]
    dropped: list[dict[Span, Drop]] = [{} for _ in statements]
    done: set[tuple[int, Span]] = set()
    for (index, target, question), answer in zip(candidates, answers, strict=True):
        if (index, target.span) in done:
            continue
        asked = as_asked(question)
        reason = problem(asked, target, answer)
        if not reason and asked in kept[index]:
            reason = "The same question was asked before."
        if reason:
            dropped[index].setdefault(target.span, Drop(asked, reason, source))
            continue
        done.add((index, target.span))
        dropped[index].pop(target.span, None)
        truth = (answer.text or "").strip(" .")
        kept[index][asked] = Probe(asked, truth, statements[index], "wh", source, turns[index])
    return [
        Candidates(tuple(probes.values()), tuple(drops.values()))
        for probes, drops in zip(kept, dropped, strict=True)
    ]


def _ordered(questions: Sequence[str], span: Span) -> list[str]:
    """The same questions, "who" first for people and last for everything else."""
    person = span.label == "PERSON" or name_a_person(words(span.text))
    rank = {"who": 0 if person else 2, "whom": 0 if person else 2}
    return sorted(questions, key=lambda question: rank.get(question.lower().split()[0], 1))


def as_asked(question: str) -> str:
    """The agent's own question in the asker's mouth: "What am I?" → "What are you?"."""
    return re.sub(r"\s+([?,.])", r"\1", text_to_second(question))


def problem(question: str, target: Target, answer: Answer) -> str:
    """Say why the question is no probe; empty when it is one."""
    asked = words(question)
    opening = asked[0] if asked else ""
    led_in = len(asked) > 1 and asked[1] in WH_WORDS and opening in _PREPOSITIONS
    if opening not in WH_WORDS and not led_in:
        return "It does not start with a question word."
    if not set(asked) - _THIN - {"kind", "type", "many", "much", "long", "old"}:
        return "It is too general."
    if re.search(r"\b(?:not|never|no)\b", expand(target.text)):
        return "The fact is negated."
    if set(asked) & _OUTSIDE:
        return "It needs the words before it."
    if len(asked) > _LONGEST or _is_malformed(asked, answer.text or ""):
        return "It is malformed."
    if answer.text is None:
        return "The reader finds no answer."
    if not _same(answer.text, target.span.text):
        return "The reader finds another answer."
    if not {"you", "your", "yours", "yourself"} & set(asked):
        return "It does not ask about the agent."
    if not any(word in AUXILIARIES for word in asked[1:6]):
        return "It is malformed."
    if "your" not in asked and opening in ("who", "what") and asked[1] not in AUXILIARIES:
        return "It does not ask about the agent."
    if leaves_room(question):
        return "The fact leaves room for other answers."
    return ""


def _is_malformed(asked: Sequence[str], answer: str) -> bool:
    if asked[-1] == "as" or asked[:2] == ["when", "is"]:
        return True
    if asked[:2] == ["how", "long"]:  # "how long is she visiting?" "tomorrow"
        counted = any(c.isdigit() for c in to_digits(answer))
        return not counted and not {"decade", "while", "life", "few"} & set(words(answer))
    if asked[0] == "when":
        timed = {"yesterday", "today", "tomorrow", "ago", "last", "next"} & set(asked)
        return bool(timed) or "old" in words(answer)
    for word, after, noun in zip(asked, asked[1:], asked[2:], strict=False):
        if word == "do" and after == "your" and not noun.endswith("s") and noun not in _PLURALS:
            return True
    return False


def _same(answer: str, span: str) -> bool:
    left, right = set(words(normalise_answer(answer))), set(words(normalise_answer(span)))
    own = {"my", "your", "only", "about"}
    return bool(left) and left - own == right - own


def leaves_room(question: str) -> bool:
    """Whether a question may have other true answers than the fact's."""
    asked = words(question)
    if asked[:2] in (["how", "many"], ["how", "old"], ["how", "much"], ["how", "long"]):
        return False
    if asked[:1] in (["when"], ["why"]) or set(asked) & _EXCLUSIVE:
        return False
    if not set(asked) & _NOT_EXCLUSIVE:
        return False
    if asked[:1] == ["where"]:
        return bool(set(asked) & {"go", "like", "love", "enjoy", "visit"})
    # Words that narrow it down make the answer the only one: "what do you wear to protect your
    # head?" has one, "what do you like to play?" has many.
    narrowing = set(asked) - _THIN - _NOT_EXCLUSIVE
    return len(narrowing) < 2
