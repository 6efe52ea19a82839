"""Yes/no questions turned into the statement that a "yes" would make, in the answerer's mouth.

"do you have four dogs?" → "i have four dogs."; pure rules on words, for chat English.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from staytrue.english.person import BE_OF_I, TO_SECOND, to_first
from staytrue.english.wording import AUXILIARIES, QUESTION_OPENERS, expand, join
from staytrue.english.words import third_person

if TYPE_CHECKING:
    from spacy.tokens import Token

# Customers ask a company: "your shop" is "our shop" in its mouth.
_TO_YOU = {**TO_SECOND, "you": "we", "your": "our", "yours": "ours"}
_OBJECTS = frozenset({"dobj", "dative", "pobj", "iobj"})
_AGREEING = {
    ("you", "am"): "are", ("you", "was"): "were", ("you", "does"): "do", ("we", "are"): "are",
}  # fmt: skip
_FILLERS = QUESTION_OPENERS | {"please", "then", "also"}
_SUBJECT_LENGTHS = {"favorite": 3, "favourite": 3, "best": 3, "new": 3, "old": 3, "dream": 3}
_KIND_OF = ("kind", "type", "sort")


def declare(question: str, *, negated: bool = False) -> str | None:
    """The statement that answers "yes", or "no"; None when the question is not of that form."""
    words = expand(question.lower()).rstrip(" ?.!").split()
    while words and words[0].rstrip(",") in QUESTION_OPENERS:
        words = words[1:]
    if words[:1] == ["you"] and len(words) > 2:  # "you married?" asks without an auxiliary
        words = ["are" if words[1].endswith(("ed", "ing")) else "do", *words]
    if len(words) < 3 or words[0] not in AUXILIARIES:
        return None
    auxiliary, subject_end = words[0], _subject_end(words)
    if subject_end is None:
        return None
    rest = [word for word in words[subject_end:] if word != "ever"]
    subject = ["i"] if words[1] in ("you", "u") else to_first(words[1:subject_end])
    own = subject == ["i"]
    if auxiliary in ("do", "does") and rest:
        front = [] if (own or auxiliary == "do") and not negated else [auxiliary]
    else:
        front = [BE_OF_I.get(auxiliary, auxiliary) if own else auxiliary]
    denial = ["not"] if negated else []
    return join([*subject, *front, *denial, *to_first(rest)]) + "."


def answered(question: str, *, negated: bool = False) -> str | None:
    """What "yes" or "no" to this question states; None when it is no yes/no question.

    The parse tells where the subject ends ("Is the hotel breakfast included?"). "I" in the
    question is the asker: the answer says "you".
    """
    from staytrue.english.parses import parsed

    (parse,) = parsed([question.strip()])
    doc = parse.doc
    first = next((t for t in doc if not t.is_punct and t.lower_ not in _FILLERS), None)
    if first is None or first.lower_ not in AUXILIARIES:
        return declare(question, negated=negated)
    subject = next(
        (t for t in doc if t.dep_ in ("nsubj", "nsubjpass", "expl", "csubj") and t.i > first.i),
        None,
    )
    if subject is None:
        return declare(question, negated=negated)
    end = max(t.i for t in doc if not t.is_punct)
    last = max(t.i for t in subject.subtree if not t.is_punct)
    if last == end:  # "Is breakfast included?" parsed as "breakfast that is included"
        last = min((t.left_edge.i for t in subject.rights if t.dep_ == "acl"), default=end + 1) - 1
    noun = " ".join(_to_you(doc[i]) for i in range(first.i + 1, last + 1))
    rest = " ".join(_to_you(doc[i]) for i in range(last + 1, end + 1))
    auxiliary = _AGREEING.get((noun.lower(), first.lower_), first.lower_)
    if auxiliary in ("do", "does") and not negated and rest:
        verb, _, tail = rest.partition(" ")
        rest = f"{third_person(verb) if auxiliary == 'does' else verb} {tail}".strip()
        return join([*noun.split(), *rest.split()]) + "."
    denial = ["not"] if negated else []
    return join([*noun.split(), auxiliary, *denial, *rest.split()]) + "."


def _to_you(word: Token) -> str:
    if word.lower_ == "you" and word.dep_ in _OBJECTS:
        return "us"
    return _TO_YOU.get(word.lower_, word.text)


def short_form(question: str) -> str:
    """What agreeing takes: "do you sing?" → "i do", "is your dog old?" → "it is"."""
    words = expand(question.lower()).rstrip(" ?.!").split()
    if len(words) < 2 or words[0] not in AUXILIARIES:
        return ""
    if words[1] in ("you", "u"):
        return f"i {BE_OF_I.get(words[0], words[0])}"
    plural = words[0] in ("are", "were", "do", "have")
    subject = words[1] if words[1] in ("there", "he", "she", "they", "it") else ""
    return f"{subject or ('they' if plural else 'it')} {words[0]}"


def _subject_end(words: list[str]) -> int | None:
    """Index one past the subject, which starts at 1."""
    first = words[1]
    if first in ("you", "u", "there", "it", "he", "she", "they", "we", "this", "that"):
        return 2
    if first in ("your", "the", "his", "her", "their") and len(words) > 3:
        end = 1 + _SUBJECT_LENGTHS.get(words[2], 2)
        if words[end : end + 1] == ["of"] and words[end - 1] in _KIND_OF:
            end += 2
        return end if end < len(words) else None
    return 2
