"""What a claim says in its conversation: short answers are read with the question they answer."""

from __future__ import annotations

import re

from staytrue.core.protocols import Claim
from staytrue.core.records import Example
from staytrue.core.text import words
from staytrue.english.sentences import sentence_spans
from staytrue.english.statements import answered, declare

_YES = re.compile(
    r"(?:yes|yeah|yep|yup|sure|of course|absolutely|certainly|definitely|correct|right|indeed|"
    r"that(?:'s| is) (?:right|correct|true)|(?:yes,? )?(?:it|they|you|we|he|she|there) "
    r"(?:is|are|can|does|do|did|was|were|will|has|have|may|should|could))",
    re.IGNORECASE,
)
_NO = re.compile(
    r"(?:no|nope|nah|not (?:at all|really|yet)|never|"
    r"that(?:'s| is) (?:wrong|incorrect|false|not (?:right|correct|true))|"
    r"(?:no,? )?(?:it|they|you|we|he|she|there) (?:is|are|can|does|do|did|was|were|will|has|have|"
    r"may|should|could)(?:n't| ?not)|(?:no,? )?(?:it|they|you|we) (?:can't|cannot|won't))",
    re.IGNORECASE,
)
_OUTER = " \t\n.!?,;:\"'“”‘’()"
# Up to so many words a claim without a verb of its own is the answer to a question.
_FRAGMENT = 6
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|am|has|have|had|do|does|did|can|could|will|would|shall|should|"
    r"may|might|must|'s|'re|'m|'ve|'ll|\w{3,}(?:ed|es|ing)|\w+n't)\b",
    re.IGNORECASE,
)


def in_context(claim: Claim, example: Example) -> str:
    """The claim as a statement that can be judged without the conversation."""
    question = _question(example.message)
    bare = claim.text.replace("’", "'").strip(_OUTER)
    if not question or not bare:
        return claim.text
    for pattern, negated in ((_YES, False), (_NO, True)):
        if pattern.fullmatch(bare):
            # With a persona the bot speaks for itself; without one, for its company ("we").
            state = declare if example.persona or not example.knowledge else answered
            statement = state(question, negated=negated)
            return statement or f"{question} {claim.text}"
    if len(words(bare)) <= _FRAGMENT and not _VERB.search(bare):
        return f"{question} {claim.text}"
    return claim.text


def is_short_answer(text: str) -> bool:
    """Whether the text alone says only yes or no."""
    bare = text.replace("’", "'").strip(_OUTER)
    return any(pattern.fullmatch(bare) for pattern in (_YES, _NO))


def _question(message: str) -> str:
    """The last question of the message, or nothing."""
    spans = sentence_spans(message)
    questions = [message[a:b] for a, b in spans if message[a:b].rstrip(" \"'”)").endswith("?")]
    return questions[-1] if questions else ""
