"""An evaluator for LlamaIndex: is the response true to its contexts?

StaytrueEvaluator().evaluate_response(response=query_engine.query("…"))
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from staytrue.core.errors import MissingExtra
from staytrue.core.protocols import Backend
from staytrue.integrations.checking import DEFAULT_METRIC, Checker, worst
from staytrue.plugins.options import share

try:
    from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
except ImportError:
    raise MissingExtra("The LlamaIndex evaluator", "llamaindex") from None


class StaytrueEvaluator(BaseEvaluator):
    """Judges a response by its contexts; a response that claims nothing has no score."""

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        metric: str = DEFAULT_METRIC,
        backend: Backend | str | None = None,
    ) -> None:
        self._threshold = share("threshold", threshold)
        self._checker = Checker(metric, backend)

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: dict[str, Any]) -> None:
        """It has none."""

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> EvaluationResult:
        """Score, whether it passes, and the reason as feedback."""
        checks = await asyncio.to_thread(
            self._checker.check, response or "", knowledge=list(contexts or ())
        )
        verdict = worst(checks)
        return EvaluationResult(
            query=query, response=response, contexts=contexts, score=verdict.score,
            passing=None if verdict.score is None else verdict.score >= self._threshold,
            feedback=verdict.reason,
        )  # fmt: skip
