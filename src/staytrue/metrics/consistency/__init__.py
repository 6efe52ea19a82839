"""The headline score."""

from __future__ import annotations

from staytrue.metrics.consistency.metric import Consistency

__all__ = ["Consistency"]
