"""The symbolic half of the hybrid evaluator (ConsisTest, §4.1, Appendix B): rules on words.

Every rule says what it decided and its name; where no rule decides, the entailment model does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from staytrue.english.word_kinds import RELATIVES
from staytrue.english.wording import AUXILIARIES, expand, is_question
from staytrue.english.words import function_words, sentences
from staytrue.english.yes_no import read_short_answer, truth_polarity
from staytrue.metrics.hybrid.words import (
    SAME,
    WORD,
    is_negated,
    keywords,
    recall,
    stem,
    tokens,
    values_clash,
)

# A response without any word of fact or question must be entailed beyond doubt.
_SURE_IF_UNRELATED = 0.85
# A clause with one of these repeats the question without saying yes to it.
_HEDGES = re.compile(
    r"\b(?:used to|wish|would like|would love|want to|if|before|almost|if only|quit|stopped|"
    r"gave up|former|ex|would never)\b"
)


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """What a rule says: a score, or which verdict of the entailment model makes it."""

    rule: str
    """The rule's name, such as "short-answer-wrong"."""
    reason: str
    """One sentence for people."""
    score: float | None
    """The score where the rule alone decides, or unless the model objects; else None."""
    ask: str = ""
    """The text that the entailment model compares with the fact; empty when it is not asked."""
    veto: bool = True
    """True: contradiction makes 0 of the score. False: entailment makes 1 and all else 0."""
    sure: float = 0.0
    """How probable the model's verdict must be here, if more than usual."""


# A question that follows without a full stop: "a nurse, what about you?".
_RUN_ON_QUESTION = re.compile(
    r"(?:\s*,|\s+and|\s+but|\s+so)?\s+((?:(?:how|what) about (?:you|yours)|(?:and )?you(?=\s*\?)|"
    r"(?:do|are|have|did|can|would|will|were) (?:you|your)\b|"
    r"(?:what|where|who|how|why|which)(?: \w+)? (?:do|are|is|did|have|would|old are) you\w*)"
    r"[^.!?]*\?)",
    re.IGNORECASE,
)


def clean(response: str) -> str:
    """The response without questions put back to the asker, contractions written out."""
    marked = _RUN_ON_QUESTION.sub(r" . \1", " " + response)
    parts = sentences(marked)
    stated = [part for part in parts if not is_question(part)]
    # Alone, "yes?" or "a dog?" is an answer given with doubt; before a statement it asks back.
    kept = stated or [part for part in parts if not _asks(part)]
    return re.sub(r"(?:\s*\.)+", ".", expand(" ".join(kept))).strip()


def _asks(sentence: str) -> bool:
    words = WORD.findall(sentence.lower())
    asks_back = {"you", "your", "yours"} & set(words)
    return bool(asks_back) or len(words) > 3 or words[:1] in (["what"], ["why"], ["how"], ["huh"])


def echo(question: str, response: str) -> bool | None:
    """Whether a clause of the response says yes or no by repeating what was asked."""
    repetition = find_echo(question, response)
    return None if repetition is None else repetition[0]


def find_echo(question: str, response: str) -> tuple[bool, str] | None:
    """What a repeating clause says, and the response without it."""
    asked = _predicate(question)
    if not asked:
        return None
    clauses = re.split(r"[.!;,]| but | because ", expand(response).lower())
    for index, clause in enumerate(clauses):
        if _HEDGES.search(clause):
            continue
        stems = [stem(word) for word in tokens(clause)]
        covered = sum(word in stems for word in asked)
        negated = is_negated(clause)
        rest = ". ".join(c.strip() for n, c in enumerate(clauses) if n != index and c.strip())
        if covered == len(asked) and (len(asked) > 1 or len(stems) <= 8):
            return not negated, rest
        if negated and covered and asked[0] in stems and covered * 2 >= len(asked):
            return False, rest
    return None


def _about_another(fact: str, answer: str, question: str = "") -> bool:
    """Whether the response speaks of someone else: "my mom" for "my dad", "i" for "my dad"."""
    first = [SAME.get(word, word) for word in tokens(fact)[:4]]
    owner = next((w for w in first if w in RELATIVES), "") if first[:1] == ["my"] else ""
    if not owner:
        return False
    words = [SAME.get(word, word) for word in tokens(answer)]
    others = RELATIVES & set(words)
    if others:
        asked = {SAME.get(word, word) for word in tokens(f"{question} {fact}")}
        return owner not in words and not others & asked
    return words[:2] in (["i", "am"], ["i", "work"]) and "you" not in tokens(question)


def _is_related(fact: str, question: str, answer: str) -> bool:
    """Whether the response shares a word with what it answers."""
    known = [stem(w) for w in tokens(f"{fact} {question}") if w not in function_words()]
    return any(stem(w) in known for w in tokens(answer) if w not in function_words())


def _predicate(question: str) -> list[str]:
    """The keywords of what a yes/no question asks, its verb first."""
    words = tokens(question)
    while words and (words[0] in AUXILIARIES or words[0] in ("so", "and", "you", "u", "ever")):
        words = words[1:]
    words = [word for word in words if word not in ("ever", "still", "any", "at", "all")]
    return [stem(word) for word in words if word not in function_words()]


def judge_yes_no(question: str, truth: str, fact: str, response: str) -> RuleOutcome:
    """Decide on an answer to a yes/no question, as far as words can."""
    answer = clean(response)
    if not answer:
        return _empty(response)
    wanted = truth_polarity(truth)
    if wanted is None:
        wanted = not is_negated(truth)
    short = read_short_answer(answer, question)
    if short is not None:
        return _judge_short(question, fact, short.parts, short.rest, wanted)
    repeated = find_echo(question, answer)
    if repeated is not None:
        right = repeated[0] == wanted
        reason = f"The response says {_yes_no(repeated[0])} by repeating the question."
        return RuleOutcome(
            "echo-right" if right else "echo-wrong", reason, float(right),
            repeated[1] if right else "",
        )  # fmt: skip
    return RuleOutcome(
        "no-short-answer", "There is no short answer; the fact must entail the response.",
        None, answer, veto=False,
        sure=0.0 if _is_related(fact, question, answer) else _SURE_IF_UNRELATED,
    )  # fmt: skip


def _judge_short(
    question: str, fact: str, parts: Sequence[tuple[str, bool]], rest: str, wanted: bool
) -> RuleOutcome:
    shown = ", ".join(f"'{text}'" for text, _ in parts)
    if _disagree(parts):
        return RuleOutcome("parts-disagree", f"The short answers {shown} disagree.", 0.0)
    polarity = parts[0][1]
    if polarity != wanted:
        return RuleOutcome(
            "short-answer-wrong", f"{shown} says {_yes_no(polarity)}; the truth is "
            f"{_yes_no(wanted)}.", 0.0,
        )  # fmt: skip
    clash = values_clash(fact, rest)
    if clash:
        return RuleOutcome("values-clash", f"Fact: {clash[0]}; response: {clash[1]}.", 0.0)
    if rest:
        repeated = echo(question, rest)
        if repeated is not None and repeated != polarity:
            return RuleOutcome(
                "parts-disagree", f"{shown} says {_yes_no(polarity)}, but the long answer says "
                f"{_yes_no(repeated)}.", 0.0,
            )  # fmt: skip
    return RuleOutcome("short-answer-right", f"{shown} is the right answer.", 1.0, rest)


def _disagree(parts: Sequence[tuple[str, bool]]) -> bool:
    """Whether short answers say both yes and no."""
    return len({polarity for _, polarity in parts}) > 1


def judge_wh(question: str, truth: str, fact: str, response: str) -> RuleOutcome:
    """Decide on an answer to a WH question: recall of the truth, unless the model objects."""
    answer = clean(response)
    if not answer:
        return _empty(response)
    if _about_another(fact, answer, question):
        return RuleOutcome("someone-else", "The response speaks of someone else.", 0.0)
    if _denies(truth, fact, answer):
        return RuleOutcome("denied", "The response denies the truth.", 0.0)
    number = _number_ruling(truth, answer)
    if number is not None:
        return number
    share = recall(truth, answer, question)
    if share == 0:
        return RuleOutcome("no-keyword", "No keyword of the truth is in the response.", 0.0)
    reason = f"{share:.0%} of the truth's keywords are in the response."
    return RuleOutcome("recall", reason, share, answer)


def _number_ruling(truth: str, answer: str) -> RuleOutcome | None:
    """Where the truth is a number, another number is wrong and the bare number is right."""
    wanted = [{w for w in tokens(part) if w[0].isdigit()} for part in truth.split("|")]
    if not all(wanted):
        return None
    given = {w for w in map(stem, tokens(answer)) if w[0].isdigit()}
    if given and not any(numbers <= given for numbers in wanted):
        return RuleOutcome(
            "number-wrong", f"The truth is {truth}; the response has another number.", 0.0
        )
    bare = all(
        word[0].isdigit() or word in function_words() or word == "year" for word in tokens(answer)
    )
    if given and bare:
        return RuleOutcome("number-right", "The response is the right number.", 1.0)
    return None


def _denies(truth: str, fact: str, answer: str) -> bool:
    """Whether every clause with the truth's words is negated while the fact is not."""
    if is_negated(fact) or is_negated(truth):
        return False
    wanted = [word for part in truth.split("|") for word in keywords(part)]
    holding = [
        clause
        for clause in re.split(r"[.!;,]| but | and ", answer.lower())
        if set(wanted) & {stem(w) for w in tokens(clause)}
    ]
    return bool(holding) and all(is_negated(clause) for clause in holding)


def _empty(response: str) -> RuleOutcome:
    if response.strip():
        return RuleOutcome("only-a-question", "The response only asks back.", 0.0)
    return RuleOutcome("empty", "The response is empty.", 0.0)


def _yes_no(polarity: bool) -> str:
    return "yes" if polarity else "no"
