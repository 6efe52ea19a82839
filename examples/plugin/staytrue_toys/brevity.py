"""Brevity: the share of a response's words that fit into a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from staytrue import Example, Verdict


@dataclass(frozen=True)
class Brevity:
    """Score a response by how much of it fits."""

    words: int = 20
    """How many words may be said."""

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """One verdict per example, in order; abstains where there is nothing to judge."""
        return [self._judge_one(example) for example in examples]

    def _judge_one(self, example: Example) -> Verdict:
        count = len(example.response.split())
        if not count:
            return Verdict(example.id, reason="The response is empty.")
        score = min(1.0, self.words / count)
        return Verdict(example.id, score=score, reason=f"{count} of {self.words} words.")
