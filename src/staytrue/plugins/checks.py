"""What a metric may return: one verdict per example, in order, scores in [0, 1], reasons given."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from staytrue.core.records import Example, Verdict


class BadVerdict(ValueError):
    """A metric returned something that is no verdict on the examples that it was given."""


def checked(name: str, examples: Sequence[Example], returned: Any) -> list[Verdict]:
    """The verdicts under the metric's name as asked for, or a BadVerdict that says what is wrong.

    Without this, a metric that leaves out one verdict would give each later example another's.
    """
    verdicts = list(returned) if isinstance(returned, Sequence) else None
    if verdicts is None or not all(isinstance(verdict, Verdict) for verdict in verdicts):
        raise BadVerdict("the metric did not return a list of verdicts")
    if [verdict.example_id for verdict in verdicts] != [example.id for example in examples]:
        raise BadVerdict("the metric did not return one verdict per example, in order")
    return [replace(v, metric=name, score=_score(v), evidence=tuple(v.evidence)) for v in verdicts]


def _score(verdict: Verdict) -> float | None:
    """The score as Python's own float, where a library may give one of its own."""
    if verdict.score is None:
        if not verdict.reason:
            raise BadVerdict("the metric abstained without a reason")
        return None
    try:
        score = float(verdict.score)
    except (TypeError, ValueError):
        raise BadVerdict(f"the metric's score {verdict.score!r} is not a number") from None
    if not (math.isfinite(score) and 0 <= score <= 1):
        raise BadVerdict(f"the metric's score {score:g} is not in [0, 1]")
    return score
