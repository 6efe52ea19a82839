"""What a claim says in its conversation and of its knowledge, put so that it can be judged alone.

Short answers are read with the question they answer. Knowledge that opens with a pronoun ("It lies
between violet and green") does not say what it is about: the claim's subject may be just that.
"""

from __future__ import annotations

import re

from staytrue.core.protocols import Claim
from staytrue.core.records import Example
from staytrue.core.text import words
from staytrue.english.parses import is_plural, parsed
from staytrue.english.statements import answered, declare
from staytrue.english.words import (
    LIST_MARKER,
    function_words,
    plain_line,
    regular_verbs,
    sentence_spans,
    verbs,
)
from staytrue.english.yes_no import read_short_answer

_OUTER = " \t\n.!?,;:\"'“”‘’()"
# Up to so many words a claim without a verb of its own is the answer to a question.
_FRAGMENT = 6
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|am|has|have|had|do|does|did|can|could|will|would|shall|should|"
    r"may|might|must|'s|'re|'m|'ve|'ll|\w{3,}(?:ed|es|ing)|\w+n't)\b",
    re.IGNORECASE,
)
# But for an "it" that stands for nothing: "It is hard to say", "It is known that".
_OPEN_SUBJECT = re.compile(
    r"\s*(it|he|she|they)\b(?! (?:is|was|'s|has been|may be|can be) (?:\w+ )?\w+ (?:to|that)\b)",
    re.IGNORECASE,
)
# What stands before an item of a list.
_LONGEST_LIST = 3000
# "Here are the steps:" says nothing about them.
_ANNOUNCED = re.compile(
    r"(?:sure\W+|yes\W+|of course\W+)?(?:here|these|the following|follow)\b", re.I
)
_ITEM = re.compile(rf"\s*{LIST_MARKER}[ \t]+")
_SUBJECT = re.compile(r"(?:i|you|we|they|he|she|it|there|this|that)\s+\w+", re.IGNORECASE)


def in_context(claim: Claim, example: Example) -> str:
    """The claim as a statement that can be judged without the conversation."""
    question = _question(example.message)
    text = plain_line(claim.text)
    bare = text.replace("’", "'").strip(_OUTER)
    if not bare:
        return text or claim.text
    lead = list_lead(example.response, claim.start)
    if lead and not _is_clause(bare):
        return f"{lead} {text}"
    if not question:
        return text
    yes = _yes_or_no(bare, question)
    if yes is not None:
        # With a persona the bot speaks for itself; without one, for its company ("we").
        state = declare if example.persona or not example.knowledge else answered
        return state(question, negated=not yes) or f"{question} {text}"
    if len(words(bare)) <= _FRAGMENT and not _is_clause(bare):
        return f"{question} {text}"
    return text


def list_lead(response: str, start: int) -> str:
    """The line that ends with a colon above the list in which something stands; or nothing."""
    *above, line = response[max(0, start - _LONGEST_LIST) : start].split("\n")
    if not _ITEM.fullmatch(line):
        return ""
    lead = next(
        (one.strip() for one in reversed(above) if one.strip() and not _ITEM.match(one)), ""
    )
    lead = plain_line(lead)
    return "" if _ANNOUNCED.match(lead) or not lead.endswith(":") else lead


def with_open_subject(statement: str, knowledge: str) -> str:
    """The statement about the pronoun that opens the knowledge, where that may be its subject."""
    opening = _OPEN_SUBJECT.match(knowledge)
    if not opening or not words(statement):
        return statement
    (parse,) = parsed([statement])
    subject = next((t for t in parse.doc if t.dep_ in ("nsubj", "nsubjpass")), None)
    if subject is None or subject.head.dep_ != "ROOT" or subject.pos_ not in ("NOUN", "PROPN"):
        return statement
    pronoun = opening.group(1)
    agrees = (pronoun.lower() == "they") == is_plural(subject)
    named = set(words(knowledge)) & {token.lower_ for token in subject.subtree if token.is_alpha}
    if not agrees or named - function_words():
        return statement
    start, end = subject.left_edge.idx, subject.right_edge.idx + len(subject.right_edge)
    text = parse.doc.text
    return text[:start] + (pronoun if start == 0 else pronoun.lower()) + text[end:]


def _is_clause(text: str) -> bool:
    """Whether the text has a verb: an auxiliary, a regular form, or what follows a pronoun."""
    if _VERB.search(text) or _SUBJECT.match(text):
        return True
    later = (word for word in words(text)[1:] if word.endswith("s"))
    return any(base in verbs() for word in later for base in regular_verbs(word))


def is_short_answer(text: str) -> bool:
    """Whether the text alone says only yes or no."""
    return _yes_or_no(text.replace("’", "'").strip(_OUTER)) is not None


def _yes_or_no(text: str, question: str = "") -> bool | None:
    """What the text says if it says only yes or no."""
    short = read_short_answer(text, question)
    return short.polarity if short and short.agrees and not short.rest else None


def _question(message: str) -> str:
    """The last question of the message, or nothing."""
    spans = sentence_spans(message)
    questions = [message[a:b] for a, b in spans if message[a:b].rstrip(" \"'”)").endswith("?")]
    return questions[-1] if questions else ""
