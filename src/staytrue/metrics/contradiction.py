"""AIH's contradiction recognition: does an answer contradict what the bot said? (Li et al., 2021).

`knowledge` is the bot's utterance u, `response` its answer r to an inquiry about u. The score is
1 − P(contradiction); above the threshold tau the label is "contradiction". Without an inquiry
the two texts are compared as they are, so that the metric also searches plain transcripts.

Some things differ from the paper where there is an inquiry, and each can be switched off. Parts of
the response that answer nothing (questions back, "good question") are set aside. And the inquiry
is put before both texts, as Q² does, because "Denver." contradicts "I call Boston home." only as
an answer to one question; the model then reads the pair in both directions, and as contradiction
is symmetric, the direction that is less sure of one counts. Last, the reader looks up in the answer
what was asked, and if that is another answer than the utterance's ("I hate red, blue is my
favorite"), the entailment model compares the two; and the wrong one of "yes" and "no" contradicts.
Answers are compared only where the utterance speaks of what is asked: people ask about other things
("I'm a huge fan." – "What's your name?"), and any two short answers look like a contradiction.
`compat=paper` switches all of it off.

Without an inquiry most pairs of turns have nothing to do with each other, and the model calls many
of them contradictions. So a pair above tau is only flagged if it also has clauses that speak of the
same thing and differ in it (see `conflicts`); the others are "unconfirmed", and `flags=model` flags
them, too. The score is the model's either way. `strict` compares only such clauses, and turns
without them are consistent with a score of 1.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Protocol

from staytrue.core.protocols import Entailment, EntailmentModel, Pair, Query, QuestionAnswerer
from staytrue.core.records import Evidence, EvidenceKind, Example, Probe, Verdict
from staytrue.core.text import words
from staytrue.english.wording import WH_WORDS, expand, is_question
from staytrue.english.words import function_words, lemma, lexicon_lines, negations, sentences
from staytrue.english.yes_no import (
    ShortAnswer,
    asks_for_dislikes,
    read_short_answer,
    truth_polarity,
)
from staytrue.metrics.conflicts import conflicts
from staytrue.metrics.q2.steps import normalise_answer
from staytrue.plugins.registry import settle, share

# On calibrated bots that no result page uses (seeds 101 to 105) F1 is 0.87 here and 0.91 at 0.2,
# but those always answer to the point. Of the turns of DSTC9's bots, which people find consistent
# nine times in ten, 14 to 46 % are called contradictions here and 29 to 62 % at 0.2.
DEFAULT_TAU = 0.5
_COMPAT: dict[str, dict[str, object]] = {
    "none": {},
    "paper": {
        "tau": 0.15, "question": "without", "direction": "forward", "aside": False,
        "premise": "utterance", "rules": False, "flags": "model", "strict": False,
    },
}  # fmt: skip
# Words of a question that stand with its question word: "what place", "how many".
_KINDS = frozenset("many much long kind type place year month day time percentage".split())
# Words of grammar that answer all the same: "I don't have any."
_NONE = negations() | {"any", "nowhere"}
# How sure the rule for yes/no inquiries is.
_SURE = 0.95
# How sure the reader must be of an answer in a text that is about something else.
_READ = 0.75
# Auxiliaries by what a short answer takes up: "Have you …?" – "I had."
_AUXILIARY = {
    word: group.split()[0]
    for group in (
        "do does did", "have has had", "be am is are was were", "can could", "will would",
        "shall should", "may might", "must",
    )
    for word in group.split()
}  # fmt: skip
_OWN = ("i ", "we ")
# What begins like a "no" and denies nothing that was asked.
_NO_ANSWERS = ("no thanks ", "no thank ", "not that ", "not as ")
_NO_CONFLICT = "The clauses that differ do not contradict each other."
_NO_CLAUSES = "No clauses of the two speak of the same thing and differ in it."

_FILLERS = frozenset(lexicon_lines("fillers"))


@dataclass(frozen=True, slots=True)
class _Case:
    """What of an example is compared."""

    premise: str
    hypothesis: str
    question: str
    aside: tuple[str, ...]
    known: str = ""
    """What the utterance answers to the inquiry, if that is known."""
    read: str = ""
    """What the reader finds in the response as the answer to the inquiry."""
    denial: ShortAnswer | None = None
    """The "yes" or "no" that the response opens with, where the utterance says otherwise."""

    @property
    def same(self) -> bool:
        """Whether both answers have the same words, or one has those of the other and more."""
        left, right = (set(normalise_answer(text).split()) for text in (self.known, self.read))
        return bool(left and right) and (left <= right or right <= left)

    @property
    def is_asked_about(self) -> bool:
        """Whether the utterance has all words of content that the inquiry has.

        One without any ("What do you do?") is about an utterance that says nothing but the answer.
        """
        asked = _content(self.question, without=WH_WORDS | _KINDS)
        if not asked:
            return not _content(self.premise) - _content(self.known)
        return asked <= {lemma(word) for word in words(self.premise)}

    @property
    def is_to_the_point(self) -> bool:
        """Whether the response has words of the inquiry or the utterance, or only the answer.

        A reader finds an answer in "I really love video games", too, when it is asked "What would
        you like to become?".
        """
        beside = _content(self.hypothesis) - _content(self.read)
        return not beside or not beside.isdisjoint(_content(f"{self.question} {self.premise}"))


class ContradictionBackend(EntailmentModel, QuestionAnswerer, Protocol):
    """What the metric asks of a backend."""


@dataclass(frozen=True)
class Contradiction:
    """Score an answer by how surely it does not contradict the earlier utterance.

    `compat="paper"` compares utterance and answer as they are, in one direction, at τ = 0.15.
    """

    uses: ClassVar[tuple[str, ...]] = ("infer", "answer")
    labels: ClassVar[tuple[str, ...]] = ("consistent", "unconfirmed", "contradiction")
    revision: ClassVar[int] = 2
    """Counts the changes of its rules within a version of the package."""

    backend: ContradictionBackend
    tau: float = DEFAULT_TAU
    """Above this probability the label is "contradiction"."""
    question: Literal["with", "without"] = "with"
    """"with" puts the inquiry before both texts."""
    direction: Literal["forward", "backward", "both"] = "both"
    """"forward" takes the utterance for the premise."""
    aside: bool = True
    """Whether parts of the response that answer nothing are set aside."""
    premise: Literal["statement", "utterance"] = "statement"
    """The sentence that the inquiry is about, or all of the utterance."""
    rules: bool = True
    """Whether the answer that is read in the response, or a wrong "yes" or "no", counts, too."""
    flags: Literal["clauses", "model"] = "clauses"
    """Whether a pair without an inquiry needs clauses that differ to be called a contradiction."""
    strict: bool = False
    """Whether only clauses count that speak of the same thing and differ in it."""
    compat: Literal["none", "paper"] = "none"

    def __post_init__(self) -> None:
        settle(self, self.compat, _COMPAT[self.compat])
        share("tau", self.tau)

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """One verdict per example; abstains where utterance or response is empty."""
        if self.strict:
            return self._judge_clauses(examples)
        cases = self._read([self._case(example) for example in examples])
        pairs = [self._pairs(case) for case in cases]
        between = [
            _answer_pairs(case) + _rest_pairs(case) if own else []
            for case, own in zip(cases, pairs, strict=True)
        ]
        wanted = list(dict.fromkeys(p for some in (*pairs, *between) for p in some))
        entailments = dict(zip(wanted, self.backend.infer(wanted) if wanted else [], strict=True))
        verdicts = [
            self._verdict(
                example,
                case,
                [entailments[pair] for pair in some],
                [entailments[pair] for pair in answers],
            )
            for example, case, some, answers in zip(examples, cases, pairs, between, strict=True)
        ]
        return self._confirmed(examples, verdicts) if self.flags == "clauses" else verdicts

    def _confirmed(self, examples: Sequence[Example], verdicts: Sequence[Verdict]) -> list[Verdict]:
        """The verdicts, contradictions without an inquiry only where clauses differ."""
        doubtful = [
            number
            for number, (example, verdict) in enumerate(zip(examples, verdicts, strict=True))
            if verdict.label == "contradiction" and not _is_asked(example)
        ]
        confirmed = list(verdicts)
        strictly = self._judge_clauses([examples[number] for number in doubtful])
        for number, clauses in zip(doubtful, strictly, strict=True):
            old = verdicts[number]
            if clauses.label == "contradiction":
                confirmed[number] = replace(old, evidence=(*old.evidence, *clauses.evidence))
            else:
                why = _NO_CONFLICT if clauses.evidence else _NO_CLAUSES
                confirmed[number] = replace(old, label="unconfirmed", reason=f"{old.reason} {why}")
        return confirmed

    def _judge_clauses(self, examples: Sequence[Example]) -> list[Verdict]:
        clause_pairs = [conflicts(example.knowledge, example.response) for example in examples]
        pairs = list(dict.fromkeys(
            pair
            for some in clause_pairs
            for one, two in some
            for pair in (Pair(one, two), Pair(two, one))
        ))  # fmt: skip
        entailments = dict(zip(pairs, self.backend.infer(pairs) if pairs else [], strict=True))
        chances = [
            [
                min(entailments[Pair(*pair)].contradiction for pair in ((one, two), (two, one)))
                for one, two in some
            ]
            for some in clause_pairs
        ]
        return [
            self._strict_verdict(example, some, surest)
            for example, some, surest in zip(examples, clause_pairs, chances, strict=True)
        ]

    def _strict_verdict(
        self, example: Example, pairs: Sequence[tuple[str, str]], chances: Sequence[float]
    ) -> Verdict:
        name = "contradiction"
        for side in ("knowledge", "response"):
            if not words(getattr(example, side)):
                reason = f"The {side} has no words to compare."
                return Verdict(example.id, name, None, reason=reason)
        if not pairs:
            return Verdict(example.id, name, 1.0, "consistent", _NO_CLAUSES)
        chance, (utterance, answer) = max(zip(chances, pairs, strict=True))
        label = "contradiction" if chance > self.tau else "consistent"
        reason = (
            f"The chance of a contradiction is {chance:.2f}, "
            f"{'above' if label == 'contradiction' else 'not above'} the threshold {self.tau:g}."
        )
        compared = Evidence(
            EvidenceKind.PROBABILITIES, f"{utterance} — {answer}", score=1 - chance, label=label
        )
        return Verdict(example.id, name, 1 - chance, label, reason, (compared,))

    def _read(self, cases: Sequence[_Case]) -> list[_Case]:
        """The cases with what each response answers to its inquiry, where the utterance does."""
        asked = [n for n, case in enumerate(cases) if case.known and words(case.hypothesis)]
        queries = [Query(cases[n].question, cases[n].hypothesis) for n in asked]
        read_cases = list(cases)
        for n, answer in zip(asked, self.backend.answer(queries) if queries else [], strict=True):
            read = replace(cases[n], read=answer.text or "")
            if answer.confidence > _READ or read.is_to_the_point:
                read_cases[n] = read
        return read_cases

    def _case(self, example: Example) -> _Case:
        probe = example.probe
        question = probe.question if probe else ""
        whole = self.premise == "utterance"
        premise = example.knowledge.strip() if whole else _utterance(example)
        response, aside = example.response.strip(), list[str]()
        if self.aside and question:
            kept, aside = relevant_parts(example.response, f"{question} {premise}")
            response = " ".join(kept)
        case = _Case(premise, response, question, tuple(aside))
        if probe is None or not self.rules:
            return case
        known = probe.truth.strip() if probe.kind == "wh" else ""
        return replace(case, known=known, denial=_denial(probe, response))

    def _pairs(self, case: _Case) -> list[Pair]:
        if not words(case.premise) or not words(case.hypothesis):
            return []
        left, right = case.premise, case.hypothesis
        asked = self.question == "with" and case.question
        if asked:
            left, right = f"{case.question} {left}", f"{case.question} {right}"
        forward, backward = Pair(left, right), Pair(right, left)
        if self.direction == "both":
            return [forward, backward] if asked else [forward]
        return [forward if self.direction == "forward" else backward]

    def _verdict(
        self,
        example: Example,
        case: _Case,
        entailments: Sequence[Entailment],
        between: Sequence[Entailment],
    ) -> Verdict:
        aside = tuple(_part(example, text) for text in case.aside)
        if not entailments:
            return _without_model(example, case, aside)
        least = min(entailments, key=lambda one: one.contradiction)
        contradiction = least.contradiction
        rules: tuple[Evidence, ...] = ()
        if case.denial and all(one.label != "entailment" for one in between):
            contradiction = max(contradiction, _SURE)
            rules = (_denied(case.denial),)
        elif between and not case.denial:
            contradiction = max(contradiction, min(one.contradiction for one in between))
            rules = (_reading(case, contradictory=contradiction > self.tau),)
        label = "contradiction" if contradiction > self.tau else "consistent"
        reason = (
            f"The chance of a contradiction is {contradiction:.2f}, "
            f"{'above' if label == 'contradiction' else 'not above'} the threshold {self.tau:g}."
        )
        probabilities = Evidence(
            EvidenceKind.PROBABILITIES,
            text=f"{case.premise} — {case.hypothesis}",
            score=1 - contradiction,
            label=label,
            details={
                "question": case.question,
                "entailment": least.entailment,
                "neutral": least.neutral,
                "contradiction": least.contradiction,
            },
        )
        return Verdict(
            example.id, "contradiction", 1 - contradiction, label, reason,
            (probabilities, *rules, *aside),
        )  # fmt: skip


def _denial(probe: Probe, response: str) -> ShortAnswer | None:
    """A "yes" to a yes/no inquiry that the utterance answers with no, or the other way round."""
    # To "Do you hate tea?" people say "Yes!" of tea: what follows must tell, and the model reads.
    if probe.kind != "yn" or asks_for_dislikes(probe.question):
        return None
    given = read_short_answer(response, probe.question)
    truth = truth_polarity(probe.truth)
    if given is None or not given.agrees or truth is None or given.polarity == truth:
        return None
    short = given.parts[0][0]
    fits = _takes_up(short, probe.question) and not _is_about_else(short, response)
    return given if fits else None


def _denied(denial: ShortAnswer) -> Evidence:
    text = f"The answer is {'yes' if denial.polarity else 'no'} where the utterance says otherwise."
    return Evidence(EvidenceKind.RULE, text, "response", label="contradiction")


def _rest_pairs(case: _Case) -> list[Pair]:
    """What follows a denial and the utterance, in both directions.

    Where one entails the other nothing is denied: "Yeah, I do not smoke."
    """
    if case.denial is None or not words(case.denial.rest):
        return []
    return [Pair(case.premise, case.denial.rest), Pair(case.denial.rest, case.premise)]


def _takes_up(short: str, question: str) -> bool:
    """Whether a short answer fits the question: "I would" does not answer "Do you smoke?".

    To "Do you have a dog?" both "I do" and "I have" do, to "Do dogs have souls?" neither.
    """
    asked = words(expand(question))
    if short.startswith(_OWN) and asked[1:2] not in (["you"], ["we"]):
        return False
    auxiliaries = [_AUXILIARY[word] for word in asked if word in _AUXILIARY]
    answered = [_AUXILIARY[word] for word in short.split() if word in _AUXILIARY]
    return not answered or not auxiliaries or answered[0] in auxiliaries[:2]


def _is_about_else(short: str, response: str) -> bool:
    """Whether the words of a short answer speak of something else: "I do too", "no thanks"."""
    told = f"{' '.join(words(expand(response)))} "
    return f"{short} too " in told or told.startswith(_NO_ANSWERS)


def _is_answer(text: str) -> bool:
    """Whether there is more than "my" or "a" in what the reader found."""
    return bool(_content(text)) or not _NONE.isdisjoint(words(text))


def _content(text: str, without: Collection[str] = ()) -> set[str]:
    kept = set(words(expand(text))) - function_words() - set(without)
    return {lemma(word) for word in kept}


def _answer_pairs(case: _Case) -> list[Pair]:
    """The two answers to the inquiry, in both directions, where they are not the same."""
    if not case.read or case.same or not case.is_asked_about:
        return []
    if not _is_answer(case.read) or not _is_answer(case.known):
        return []
    answer, known = f"{case.question} {case.read}.", f"{case.question} {case.known}."
    return [Pair(known, answer), Pair(answer, known)]


def _reading(case: _Case, *, contradictory: bool) -> Evidence:
    label = "contradiction" if contradictory else "consistent"
    text = f"Asked this, the response says “{case.read}”, the utterance “{case.known}”."
    return Evidence(EvidenceKind.RULE, text, "response", label=label)


def _is_asked(example: Example) -> bool:
    """Whether the response answers an inquiry: a probe, or a question right after the utterance."""
    if example.probe and example.probe.question:
        return True
    if len(example.history) < 2:
        return False
    before, last = example.history[-2:]
    told = before.text.strip() == example.knowledge.strip()
    return told and last.speaker == "user" and is_question(last.text)


def _utterance(example: Example) -> str:
    """The statement that an inquiry is about, if it is known, else all that was stated."""
    if example.probe is None:
        return example.knowledge.strip()
    fact = example.probe.fact
    if fact and fact.lower() in example.knowledge.lower():
        return fact
    stated = [part for part in sentences(example.knowledge) if not is_question(part)]
    return " ".join(stated) or example.knowledge.strip()


def relevant_parts(response: str, about: str) -> tuple[list[str], list[str]]:
    """The response's sentences that count, and those set aside.

    Questions and fillers do not count. The first statement does, as that is where the answer
    stands, and so do later ones that share a word with the question or the utterance.
    """
    kept: list[str] = []
    aside: list[str] = []
    topic = set(words(about)) - function_words() - {"yes", "really"}
    for part in sentences(response):
        phrases = _phrases(part)
        filler = bool(phrases) and all(phrase in _FILLERS for phrase in phrases)
        off_topic = bool(kept) and not topic & set(words(part))
        (aside if filler or is_question(part) or off_topic else kept).append(part)
    return kept, aside


def _phrases(text: str) -> list[str]:
    bare = (re.sub(r"[^\w' ]", "", phrase) for phrase in re.split("[,;]", text.lower()))
    return [" ".join(phrase.split()) for phrase in bare if phrase.strip()]


def _without_model(example: Example, case: _Case, aside: tuple[Evidence, ...]) -> Verdict:
    name = "contradiction"
    if case.aside and words(case.premise):
        reason = "The answer states nothing that could contradict the utterance."
        return Verdict(example.id, name, 1.0, "consistent", reason, aside)
    empty = "response" if words(case.premise) else "knowledge"
    return Verdict(example.id, name, None, reason=f"The {empty} has no words to compare.")


def _part(example: Example, text: str) -> Evidence:
    start = example.response.find(text)
    if start < 0:
        return Evidence(EvidenceKind.DROPPED, text, "response", label="irrelevant")
    return Evidence(
        EvidenceKind.DROPPED, text, "response", start, start + len(text), label="irrelevant"
    )
