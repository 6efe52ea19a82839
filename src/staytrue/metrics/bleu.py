"""BLEU of the response with the knowledge as reference (Papineni et al., 2002), by sacrebleu."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from staytrue.core.records import Evidence, EvidenceKind, Example, Verdict


@dataclass(frozen=True)
class Bleu:
    """Score a response by the n-grams it shares with its knowledge."""

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        """One verdict per example; abstains where response or knowledge is empty."""
        from sacrebleu.metrics.bleu import BLEU

        # Single sentences: without effective order a response of three words would score 0.
        scorer = BLEU(effective_order=True, lowercase=True)
        verdicts = []
        for example in examples:
            if not example.response.strip() or not example.knowledge.strip():
                empty = "knowledge" if example.response.strip() else "response"
                reason = f"The {empty} is empty."
                verdicts.append(Verdict(example.id, "bleu", None, reason=reason))
                continue
            result = scorer.sentence_score(example.response, [example.knowledge])
            score = min(1.0, result.score / 100)
            details = {"precisions": [round(p / 100, 4) for p in result.precisions]}
            verdicts.append(
                Verdict(
                    example.id, "bleu", score,
                    reason=f"BLEU {result.score:.1f} with the knowledge as reference.",
                    evidence=(Evidence(EvidenceKind.N_GRAMS, score=score, details=details),),
                )
            )  # fmt: skip
        return verdicts
