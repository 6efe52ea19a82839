"""Token overlap: F1 of the words of response and knowledge (baseline of Honovich et al., 2021).

Punctuation and English stop words do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from staytrue.core.records import Evidence, EvidenceKind, Example, Verdict
from staytrue.core.text import words
from staytrue.english.stop_words import content_words
from staytrue.english.words import token_f1


@dataclass(frozen=True)
class Overlap:
    """Score a response by the words it shares with its knowledge."""

    stopwords: Literal["drop", "keep"] = "drop"

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """One verdict per example; abstains where response or knowledge has no words."""
        return [self._judge_one(example) for example in examples]

    def _judge_one(self, example: Example) -> Verdict:
        response, knowledge = self._content(example.response), self._content(example.knowledge)
        if not response or not knowledge:
            empty = "response" if not response else "knowledge"
            return Verdict(
                example.id, "overlap", None, reason=f"The {empty} has no words to compare."
            )
        score = token_f1(response, knowledge)
        known = set(knowledge)
        shared = sorted({word for word in response if word in known})
        missing = sorted({word for word in response if word not in known})
        reason = (
            f"{len(shared)} of {len(shared) + len(missing)} different words of the response "
            "are in the knowledge."
        )
        details = {"shared": shared, "missing": missing}
        return Verdict(
            example.id, "overlap", score, reason=reason,
            evidence=(Evidence(EvidenceKind.WORDS, score=score, details=details),),
        )  # fmt: skip

    def _content(self, text: str) -> list[str]:
        return content_words(text) if self.stopwords == "drop" else words(text)
