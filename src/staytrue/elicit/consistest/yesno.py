"""Yes/no questions from statements, by rules: a statement's polarity gives the truth.

"i have two dogs" → "do you have two dogs?" (yes) and "do you have four dogs?" (no);
"i don't drink soda" → "do you drink soda?" (no).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from staytrue.elicit.consistest import verbs
from staytrue.elicit.consistest.alter import alterations
from staytrue.elicit.consistest.clauses import PersonaClause, Refusal, read_clauses
from staytrue.english.person import TO_SECOND, to_second
from staytrue.english.wording import join

_DROPPED_ADVERBS = frozenset(["also", "too", "actually", "honestly", "even", "either"])
_DETERMINERS = frozenset("the a an this that these those there his her their one two".split())
_HALF_NEGATED = frozenset("hardly barely rarely seldom scarcely".split())
_ASKED_WITH = {"may": "might", "shall": "will"}


@dataclass(frozen=True, slots=True)
class YesNo:
    """A yes/no question about a statement, and its right answer."""

    question: str
    truth: str
    """"yes" or "no"."""
    fact: str
    """The clause that it asks about."""
    form: str
    """"positive", "negated", or "altered:" and what was altered, such as "altered:number"."""


def yes_no_questions(statements: Sequence[str], *, pronouns: bool = False) -> list[list[YesNo]]:
    """The yes/no questions that follow from each statement; perhaps none.

    `pronouns` asks about "she is a nurse", too, which only the words before it explain.
    """
    return [
        [item for item in items if isinstance(item, YesNo)]
        for items in questions_and_refusals(statements, pronouns=pronouns)
    ]


def questions_and_refusals(
    statements: Sequence[str], *, pronouns: bool = False
) -> list[list[YesNo | Refusal]]:
    """The yes/no questions of each statement, and the reasons for the clauses without any."""
    return [
        [item for clause in clauses for item in _about(clause)]
        for clauses in read_clauses(statements, pronouns=pronouns)
    ]


def _about(clause: PersonaClause | Refusal) -> list[YesNo | Refusal]:
    if isinstance(clause, Refusal):
        return [clause]
    if clause.finite == "must" and clause.rest[:1] != ("not",):  # "must you?" is a reproach
        clause = replace(clause, finite="have", rest=("to", *clause.rest), auxiliary=False)
    if clause.finite in verbs.BE and clause.rest[:2] == ("not", "got"):  # "i ain't got a car"
        clause = replace(clause, finite="have")
    # "may you?" asks for leave and "shall you?" is hardly said any more.
    clause = replace(clause, finite=_ASKED_WITH.get(clause.finite, clause.finite))
    # A reason holds only with the statement as it is: not "can you drive because you are blind?".
    alone = replace(clause, rest=_without_reason(clause.rest))
    problem = _unaskable(clause) or _unaskable(alone)
    if problem:
        return [Refusal(clause.text, problem)]
    affirmative, negated = _affirmative(alone)
    if negated:
        return [YesNo(ask(affirmative), "no", clause.text, "negated")]
    asked: list[YesNo | Refusal] = [YesNo(ask(clause), "yes", clause.text, "positive")]
    if clause.finite == "might":  # what may be so excludes nothing
        return asked
    for kind, altered in alterations(alone):
        wording = altered if isinstance(altered, str) else ask(altered)
        asked.append(YesNo(wording, "no", clause.text, f"altered:{kind}"))
    return asked


def ask(clause: PersonaClause) -> str:
    """Turn a clause into the question that the other person would ask."""
    subject = _subject_to_you(clause.subject)
    own = [word.lower() for word in clause.subject] in (["i"], ["we"])
    adverbs = [word for word in clause.adverbs if word.lower() not in _DROPPED_ADVERBS]
    rest = list(clause.rest)
    if rest and rest[0].lower() == "also":
        rest = rest[1:]
    if clause.auxiliary:
        front, verb = _moved(clause.finite, own), []
    else:
        front = "did" if clause.past else "does" if _is_third_person(clause) else "do"
        verb = [verbs.base_form(clause.finite)]
    words = [front, *subject, *adverbs, *verb, *to_second([*rest, *clause.before])]
    text = join([word for word in words if word]).rstrip(" .,!;") + "?"
    return text[0].upper() + text[1:] if clause.capital else text


def _subject_to_you(subject: Sequence[str]) -> list[str]:
    low = [word.lower() for word in subject]
    if low[-2:] == ["and", "i"]:  # "my boyfriend and i" → "you and your boyfriend"
        return ["you", "and", *to_second(subject[:-2])]
    shifted = to_second(subject)
    small = low[0] in TO_SECOND or low[0] in _DETERMINERS
    return [shifted[0].lower() if small else shifted[0], *shifted[1:]]


def _moved(auxiliary: str, own: bool) -> str:
    if own and auxiliary in ("am", "was"):
        return "are" if auxiliary == "am" else "were"
    return auxiliary


def _is_third_person(clause: PersonaClause) -> bool:
    return clause.finite.endswith("s") and verbs.base_form(clause.finite) != clause.finite


def _unaskable(clause: PersonaClause) -> str:
    words = [word.lower() for word in (*clause.adverbs, *clause.rest)]
    if any(word in _HALF_NEGATED for word in words[:3]):
        return "It is neither a plain yes nor a plain no."
    if "not" in words and ("wait" in words[:3] or "only" in words[:3] or "just" in words[:3]):
        return "Its negation is an idiom."
    if clause.finite in ("might", "must") and any(w in ("not", "never") for w in words[:3]):
        return "Its negation leaves both answers open."
    denials = sum(word in ("not", "never") for word in words)
    if denials > 1 or (denials and {"no", "nothing", "nobody", "none"} & set(words[:-1])):
        return "It is negated twice."
    if [word.lower() for word in clause.subject] in (["my", "favorite"], ["my", "favourite"]):
        return "It does not say the favorite what."
    if clause.finite in ("guess", "suppose", "mean", "wish", "bet") or (
        clause.finite in ("see", "hope", "agree", "know")
        and (words[:1] not in (["to"],) and len(words) < 3)
    ):
        return "It is an aside, not a fact."
    bare = not [word for word in words if word not in ("not", "really", "too", "either")]
    if bare and (clause.auxiliary or clause.finite in ("do", "have", "did", "had")):
        return "It is only a short answer."
    if words[:1] == [","] and clause.finite in ("do", "did", "am", "have"):  # "i do, love reading"
        return "It is only a short answer."
    if words[:1] == ["not"] and words[1:2] in (["know"], ["think"], ["mean"], ["understand"]):
        return "It is an aside, not a fact."
    return ""


def _without_reason(rest: tuple[str, ...]) -> tuple[str, ...]:
    low = [word.lower() for word in rest]
    return rest[: low.index("because")] if "because" in low else rest


def _affirmative(clause: PersonaClause) -> tuple[PersonaClause, bool]:
    """The clause without its negation, and whether it had one."""
    adverbs = [word for word in clause.adverbs if word.lower() != "never"]
    rest, negated = _without_negation(clause)
    negated = negated or len(adverbs) < len(clause.adverbs)
    if not negated:
        return clause, False
    ever = ["ever"] if "never" in (w.lower() for w in (*clause.adverbs, *clause.rest[:2])) else []
    low = [word.lower() for word in rest]
    if "anymore" in low:  # "i don't smoke anymore" → "do you still smoke?"
        rest, ever = [word for word in rest if word.lower() != "anymore"], ["still"]
    rest = [word for word in rest if word.lower() not in ("either", *ever)]
    return replace(clause, adverbs=(*adverbs, *ever), rest=tuple(rest)), True


def _without_negation(clause: PersonaClause) -> tuple[list[str], bool]:
    rest = list(clause.rest)
    low = [word.lower() for word in rest]
    for index in range(min(3, len(low))):
        if low[index] in ("not", "never"):
            return rest[:index] + rest[index + 1 :], True
        if low[index : index + 2] == ["no", "longer"]:
            return [*rest[:index], "still", *rest[index + 2 :]], True
        after_preposition = index == 1 and low[0] in ("in", "with", "on", "at")
        if low[index] in ("no", "zero") and (index == 0 or after_preposition) and low[index + 1 :]:
            return [*rest[:index], "any", *rest[index + 1 :]], True
        if index == 0 and low[index] in ("nothing", "nobody", "none", "nowhere"):
            positive = {"nothing": "anything", "nobody": "anybody", "nowhere": "anywhere"}
            return [*rest[:index], positive.get(low[index], "any"), *rest[index + 1 :]], True
    return rest, False
