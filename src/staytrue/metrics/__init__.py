"""Metrics, one file each: examples in, verdicts out. `from staytrue.metrics import Q2` works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from staytrue.metrics.begin import Begin
    from staytrue.metrics.bleu import Bleu
    from staytrue.metrics.consistency import Consistency
    from staytrue.metrics.contradiction import Contradiction
    from staytrue.metrics.embedding import EmbeddingSimilarity
    from staytrue.metrics.hybrid import Hybrid
    from staytrue.metrics.judge import Judge
    from staytrue.metrics.nli import EndToEndNli
    from staytrue.metrics.overlap import Overlap
    from staytrue.metrics.probe_overlap import ProbeOverlap
    from staytrue.metrics.q2 import Q2

__all__ = [
    "Q2",
    "Begin",
    "Bleu",
    "Consistency",
    "Contradiction",
    "EmbeddingSimilarity",
    "EndToEndNli",
    "Hybrid",
    "Judge",
    "Overlap",
    "ProbeOverlap",
]

_HOMES = {
    "Begin": "begin", "Bleu": "bleu", "Consistency": "consistency",
    "Contradiction": "contradiction", "EmbeddingSimilarity": "embedding", "EndToEndNli": "nli",
    "Hybrid": "hybrid", "Judge": "judge", "Overlap": "overlap", "ProbeOverlap": "probe_overlap",
    "Q2": "q2",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'staytrue.metrics' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"staytrue.metrics.{_HOMES[name]}"), name)
