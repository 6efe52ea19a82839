"""Word overlap of an answer with its probe: the baselines of ConsisTest's Table 4.

`f1` compares the response with the fact, `recall` counts the truth's keywords in the response.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from staytrue.core.records import Evidence, EvidenceKind, Example, Probe, Verdict
from staytrue.core.text import words
from staytrue.english.numbers import to_digits
from staytrue.english.words import token_f1

_IGNORED = frozenset(["a", "an", "the"])


@dataclass(frozen=True)
class ProbeOverlap:
    """Score the answer to a probe by its words alone."""

    measure: Literal["f1", "recall"] = "recall"

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """One verdict per example; abstains where there is no probe."""
        return [self._judge_one(example) for example in examples]

    def _judge_one(self, example: Example) -> Verdict:
        probe = example.probe
        if probe is None:
            reason = "There is no probe: the example needs question, truth, fact and kind."
            return Verdict(example.id, "probe-overlap", None, reason=reason)
        score = self._score(probe, _content(example.response))
        compared = "fact" if self.measure == "f1" else "truth"
        evidence = (Evidence(EvidenceKind.WORDS, text=getattr(probe, compared), score=score),)
        reason = f"{self.measure} of the response and the {compared} is {score:.2f}."
        return Verdict(example.id, "probe-overlap", score, reason=reason, evidence=evidence)

    def _score(self, probe: Probe, response: list[str]) -> float:
        if self.measure == "f1":
            return token_f1(response, _content(probe.fact)) if response else 0.0
        known = set(response)
        wanted = [set(_content(part)) for part in probe.truth.split("|")]
        return max((len(part & known) / len(part) for part in wanted if part), default=0.0)


def _content(text: str) -> list[str]:
    return [word for word in words(to_digits(text)) if word not in _IGNORED]
