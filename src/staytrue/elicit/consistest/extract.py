"""Question–answer pairs that stand in adjacent utterances (ConsisTest, Appendix A).

The partner asks, the agent answers: the question loses what is not interrogative, the answer
loses what is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from staytrue.core.placement import PersonaDialogue
from staytrue.core.protocols import Query, QuestionAnswerer
from staytrue.core.records import Probe
from staytrue.core.text import words
from staytrue.elicit.consistest.drops import Candidates, Drop
from staytrue.english.numbers import to_digits
from staytrue.english.statements import declare
from staytrue.english.wording import (
    AUXILIARIES,
    WH_WORDS,
    expand,
    is_question,
    join,
    statements,
)
from staytrue.english.words import sentences
from staytrue.english.yes_no import ShortAnswer, read_short_answer, truth_polarity

SOURCE = "history_extracted"
# Questions that no one can answer from facts, or only with the words before them.
_PHATIC = re.compile(
    r"\b(?:how (?:are|have|is|was|did) (?:you|it|your (?:day|night|weekend))|how about|what about|"
    r"and you|you\s*\?$|what(?: is|'s)? up|how(?: is|'s) it|are you doing (?:today|tonight)|"
    r"do you mean|really|why not|why is that|oh yeah|are you serious|how so|how come)\b"
)
_GREETING = re.compile(r"^(?:(?:hi|hello|hey|haha|lol|oh|well)\b\s*[,!.]*\s*)+", re.IGNORECASE)
_POINTING = frozenset("it that this them they those these there he she him one".split())
_THIN = frozenset("do you have are any a an the did your is ever been to in of".split())


@dataclass(frozen=True, slots=True)
class QuestionAndReply:
    """A question of the partner and what the agent said to it."""

    question: str
    answer: str
    turn: int


def pairs(dialogue: PersonaDialogue) -> tuple[list[QuestionAndReply], list[Drop]]:
    """The pairs of a dialogue, and the questions that are none."""
    kept: list[QuestionAndReply] = []
    drops: list[Drop] = []
    utterances = dialogue.utterances
    for index in range(0, len(utterances) - 1, 2):
        asked = [s for s in sentences(utterances[index]) if is_question(s)]
        if not asked:
            continue
        question = tidy_question(asked[-1])
        told = _GREETING.sub("", " ".join(statements(utterances[index + 1]))).strip()
        reason = _problem(question, told)
        if reason:
            drops.append(Drop(question, reason, SOURCE, dialogue.id))
        else:
            kept.append(QuestionAndReply(question, told, index // 2))
    return kept, drops


def tidy_question(sentence: str) -> str:
    """The question without what leads up to it, in one line."""
    asked = expand(sentence).rstrip(" ?.!").split()
    low = [word.lower().rstrip(",") for word in asked]
    for index, word in enumerate(low):
        after = low[index + 1 : index + 6]
        opens = word in WH_WORDS and any(w in AUXILIARIES for w in after)
        opens = opens or (word in AUXILIARIES and after[:1] in (["you"], ["your"], ["there"]))
        opens = opens or (word == "any" and index == 0)
        if opens:  # "hi , i love dogs , do you have any" asks from here on
            return join(asked[index:]) + "?"
    return join(asked) + "?"


def _problem(question: str, told: str) -> str:
    low = question.lower()
    asked = words(low)
    if _PHATIC.search(low):
        return "It is small talk."
    if len(asked) < 3:
        return "It is too short."
    if set(asked) & _POINTING:
        return "It needs the words before it."
    if not {"you", "your", "yours"} & set(asked) and asked[0] != "any":
        return "It does not ask about the agent."
    if not words(told):
        return "The agent does not answer."
    return ""


def extracted_probes(dialogue: PersonaDialogue, reader: QuestionAnswerer) -> Candidates:
    """The probes that a dialogue answers by itself."""
    candidates, drops = pairs(dialogue)
    answers = reader.answer([Query(pair.question, expand(pair.answer)) for pair in candidates])
    probes: list[Probe] = []
    for pair, answer in zip(candidates, answers, strict=True):
        asks_yes_no = pair.question.lower().split()[0] in (*AUXILIARIES, "any", "you")
        if asks_yes_no and " or " not in pair.question:
            made = _yes_no(pair)
        elif answer.text is None:
            made = "The reader finds no answer."
        elif _is_clause(answer.text) or _lacks_number(pair.question, answer.text):
            made = "The reader finds no short answer."
        else:
            made = Probe(
                pair.question, answer.text.strip(" ."), expand(pair.answer), "wh", SOURCE, pair.turn
            )
        if isinstance(made, str):
            drops.append(Drop(pair.question, made, SOURCE, dialogue.id))
        else:
            probes.append(made)
    return Candidates(tuple(probes), tuple(drops))


def _is_clause(answer: str) -> bool:
    told = words(answer)
    return told[:1] in (["i"], ["we"], ["you"]) or len(told) > 8


def _lacks_number(question: str, answer: str) -> bool:
    """Whether "how old", "how many" or "how much" is answered with no number."""
    if words(question)[:2] not in (["how", "old"], ["how", "many"], ["how", "much"]):
        return False
    vague = {"few", "several", "lot", "many", "none", "couple", "all", "too"}
    return not any(c.isdigit() for c in to_digits(answer)) and not vague & set(words(answer))


def _yes_no(pair: QuestionAndReply) -> Probe | str:
    short = read_short_answer(pair.answer, pair.question)
    polarity = _polarity(pair, short)
    if polarity is None:
        return "The answer says neither yes nor no."
    claim = declare(pair.question)
    rest = words(short.rest if short else expand(pair.answer))
    about = set(words(pair.question)) - _THIN
    if len(rest) >= 4 and rest[0] in ("i", "my", "we") and about & set(rest):
        fact = expand(pair.answer)
    elif claim is not None:
        fact = claim if polarity else declare(pair.question, negated=True) or claim
    else:
        fact = f"{pair.question} {pair.answer}"
    truth = "yes" if polarity else "no"
    return Probe(pair.question, truth, fact, "yn", SOURCE, pair.turn)


def _polarity(pair: QuestionAndReply, short: ShortAnswer | None) -> bool | None:
    """What the answer says; a denial ("i do not like dogs") need not open with "no"."""
    if short is not None:
        return short.polarity if short.agrees else None
    return False if truth_polarity(pair.answer) is False else None
