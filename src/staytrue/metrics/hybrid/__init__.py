"""ConsisTest's hybrid evaluator."""

from __future__ import annotations

from staytrue.metrics.hybrid.metric import Hybrid

__all__ = ["Hybrid"]
