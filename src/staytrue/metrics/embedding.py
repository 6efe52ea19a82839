"""Embedding similarity: greedy matching of token vectors, as BERTScore does (Zhang et al., 2020).

It is BERTScore's arithmetic on our small encoder, without its models, layers or rescaling:
compare its figures with each other, not with published BERTScore.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from staytrue.core.protocols import TokenEncoder
from staytrue.core.records import Evidence, EvidenceKind, Example, Verdict

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class EmbeddingSimilarity:
    """Score a response by how closely its tokens match those of its knowledge."""

    uses: ClassVar[tuple[str, ...]] = ("encode",)

    backend: TokenEncoder
    measure: Literal["precision", "recall", "f1"] = "f1"
    """Precision looks for each token of the response in the knowledge, recall the other way."""

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """One verdict per example; abstains where response or knowledge has no tokens."""
        texts = [text for one in examples for text in (one.response, one.knowledge)]
        vectors = self.backend.encode(texts)
        return [
            self._verdict(example, vectors[2 * index], vectors[2 * index + 1])
            for index, example in enumerate(examples)
        ]

    def _verdict(self, example: Example, response: np.ndarray, knowledge: np.ndarray) -> Verdict:
        if not len(response) or not len(knowledge):
            empty = "knowledge" if len(response) else "response"
            reason = f"The {empty} has no words to compare."
            return Verdict(example.id, "embedding", None, reason=reason)
        measures = matched(response, knowledge)
        score = measures[self.measure]
        reason = f"Tokens of the response and of the knowledge match at {score:.2f} on average."
        details = {name: round(value, 4) for name, value in measures.items()}
        evidence = (Evidence(EvidenceKind.SIMILARITY, score=score, details=details),)
        return Verdict(example.id, "embedding", score, reason=reason, evidence=evidence)


def matched(left: np.ndarray, right: np.ndarray) -> dict[str, float]:
    """Mean cosine of each vector with its best match on the other side, in [0, 1]."""
    likeness = left @ right.T
    precision = min(1.0, max(0.0, float(likeness.max(axis=1).mean())))
    recall = min(1.0, max(0.0, float(likeness.max(axis=0).mean())))
    total = precision + recall
    f1 = 2 * precision * recall / total if total else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}
