"""Word match: an entailment model that counts shared words; every metric that infers can use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from staytrue.core.protocols import Entailment, Pair


class WordMatch:
    """Takes a hypothesis for entailed as far as the premise has its words."""

    def models(self) -> Mapping[str, str]:
        """The methods that this backend has, each with a name and a revision for signatures."""
        return {"infer": "shared-words@1"}

    def infer(self, pairs: Sequence[Pair]) -> list[Entailment]:
        """One result per pair, in order."""
        return [_shared(pair) for pair in pairs]


def _shared(pair: Pair) -> Entailment:
    hypothesis = set(pair.hypothesis.lower().split())
    share = len(hypothesis & set(pair.premise.lower().split())) / max(1, len(hypothesis))
    return Entailment(share, 1 - share, 0.0)
