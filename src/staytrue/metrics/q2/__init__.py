"""Q²: ask about what the response says, and let its knowledge answer."""

from __future__ import annotations

from staytrue.metrics.q2.metric import Q2

__all__ = ["Q2"]
