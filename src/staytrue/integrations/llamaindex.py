"""An evaluator for LlamaIndex: is the response true to its contexts?

StaytrueEvaluator().evaluate_response(response=query_engine.query("…"))
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from staytrue.core.errors import MissingExtra
from staytrue.integrations.checking import PassMark, worst

try:
    from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
except ImportError:
    raise MissingExtra("The LlamaIndex evaluator", "llamaindex") from None


class StaytrueEvaluator(PassMark, BaseEvaluator):
    """Judges a response by its contexts; a response that claims nothing has no score."""

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
            passing=self._passes(verdict), feedback=verdict.reason,
        )  # fmt: skip
