"""Metrics, one file each: examples in, verdicts out. `from staytrue.metrics import Q2` works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from staytrue.metrics.begin import Begin, BeginResult
    from staytrue.metrics.bleu import Bleu
    from staytrue.metrics.consistency import Consistency
    from staytrue.metrics.consistency.result import ConsistencyResult
    from staytrue.metrics.contradiction import Contradiction
    from staytrue.metrics.embedding import EmbeddingSimilarity
    from staytrue.metrics.hybrid import Hybrid
    from staytrue.metrics.judge import Judge
    from staytrue.metrics.nli import EndToEndNli, NliResult
    from staytrue.metrics.overlap import Overlap
    from staytrue.metrics.probe_overlap import ProbeOverlap
    from staytrue.metrics.q2 import Q2, Q2Result

__all__ = [
    "Q2",
    "Begin",
    "BeginResult",
    "Bleu",
    "Consistency",
    "ConsistencyResult",
    "Contradiction",
    "EmbeddingSimilarity",
    "EndToEndNli",
    "Hybrid",
    "Judge",
    "NliResult",
    "Overlap",
    "ProbeOverlap",
    "Q2Result",
]

_HOMES = {
    "Begin": "begin", "BeginResult": "begin", "Bleu": "bleu", "Consistency": "consistency",
    "ConsistencyResult": "consistency.result", "Contradiction": "contradiction",
    "EmbeddingSimilarity": "embedding", "EndToEndNli": "nli", "Hybrid": "hybrid", "Judge": "judge",
    "NliResult": "nli", "Overlap": "overlap", "ProbeOverlap": "probe_overlap", "Q2": "q2",
    "Q2Result": "q2",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'staytrue.metrics' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"staytrue.metrics.{_HOMES[name]}"), name)
