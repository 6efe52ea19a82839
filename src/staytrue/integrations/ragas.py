"""A metric for Ragas: is the response true to the retrieved contexts?

from staytrue.integrations.ragas import Staytrue
ragas.evaluate(dataset, metrics=[Staytrue()])
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field
from typing import Any

from staytrue.core.errors import MissingExtra
from staytrue.core.protocols import Backend
from staytrue.integrations.checking import DEFAULT_METRIC, Checker, worst

try:
    from ragas.metrics.base import MetricType, SingleTurnMetric
except ImportError:
    raise MissingExtra("The Ragas metric", "ragas") from None


@dataclass
class Staytrue(SingleTurnMetric):
    """Judges `response` by `retrieved_contexts`; no LLM is asked unless `backend` names one.

    A response that claims nothing, such as a greeting, is NaN: Ragas' own way to say "no score".
    """

    name: str = "staytrue"
    _required_columns: dict[MetricType, set[str]] = field(
        default_factory=lambda: {MetricType.SINGLE_TURN: {"response", "retrieved_contexts"}}
    )
    metric: str = DEFAULT_METRIC
    backend: Backend | str | None = None

    def __post_init__(self) -> None:
        self._checker = Checker(self.metric, self.backend)

    def init(self, run_config: Any) -> None:
        """Nothing to set up: the models load with the first response."""

    async def _single_turn_ascore(self, sample: Any, callbacks: Any) -> float:
        checks = await asyncio.to_thread(
            self._checker.check, sample.response or "", knowledge=sample.retrieved_contexts or ""
        )
        score = worst(checks).score
        return math.nan if score is None else score
