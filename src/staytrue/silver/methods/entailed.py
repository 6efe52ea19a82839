"""Entailment by filtering: impersonal responses that share their words with the evidence."""

from __future__ import annotations

from staytrue.core.text import words

FIRST_PERSON = frozenset("i im ive id ill me my mine myself we us our ours ourselves".split())
LEAST_SHARED = 0.25


def shared_words(response: str, evidence: str) -> float:
    """Share of the response's words that occur in the evidence; 0 for an empty response."""
    own = words(response)
    known = set(words(evidence))
    return sum(word in known for word in own) / len(own) if own else 0.0


def is_personal(response: str) -> bool:
    """Whether the response speaks in the first person."""
    return not FIRST_PERSON.isdisjoint(words(response.replace("’", "'")))


def looks_entailed(response: str, evidence: str, least: float = LEAST_SHARED) -> bool:
    """The paper's filter: no first person, at least a quarter of the words in the evidence."""
    return not is_personal(response) and shared_words(response, evidence) >= least
