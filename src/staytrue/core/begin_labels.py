"""BEGIN's taxonomy: the five labels, the three they merge into, and how sentences make a response.

Five: entailment, contradiction, and three kinds of neutral: hallucination, off-topic, generic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

LABELS = ("entailment", "contradiction", "hallucination", "off-topic", "generic")
COARSE_LABELS = ("entailment", "contradiction", "neutral")
COARSE = {
    "entailment": "entailment",
    "contradiction": "contradiction",
    "hallucination": "neutral",
    "off-topic": "neutral",
    "generic": "neutral",
}

# How often each kind occurs among the replies of real dialogue models: table 1 of the paper.
# Classifiers learn from equal shares; without this they see contradictions everywhere.
TYPICAL_SHARES = {
    "entailment": 0.336,
    "contradiction": 0.006,
    "hallucination": 0.322,
    "off-topic": 0.061,
    "generic": 0.275,
}

# What one sentence of a kind makes of a response, strongest first: one false or invented claim
# spoils it, a supported one among small talk carries it, and small talk stays small talk.
_STRENGTH = ("contradiction", "hallucination", "entailment", "off-topic", "generic")


def combine(labels: Iterable[str | None]) -> str | None:
    """The label of a response from those of its sentences; None when no sentence has one.

    First match wins: any contradiction, any hallucination, any entailment, any off-topic, generic.
    """
    present = set(labels)
    return next((label for label in _STRENGTH if label in present), None)


def coarse(probabilities: Mapping[str, float]) -> dict[str, float]:
    """Three probabilities from five: those of the neutral kinds are added up."""
    merged = dict.fromkeys(COARSE_LABELS, 0.0)
    for label, probability in probabilities.items():
        merged[COARSE[label]] += probability
    return merged


def reweighted(given: Mapping[str, float], shares: Mapping[str, float]) -> dict[str, float]:
    """Probabilities learned from equal shares, for a world with these shares (Bayes' rule)."""
    raw = {label: given[label] * shares[label] for label in given}
    total = sum(raw.values())
    return {label: value / total for label, value in raw.items()} if total else dict(given)
