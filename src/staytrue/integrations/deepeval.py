"""A metric for DeepEval: is the output true to the retrieval context?

from staytrue.integrations.deepeval import StaytrueMetric
assert_test(test_case, [StaytrueMetric(threshold=0.5)])
"""

from __future__ import annotations

import asyncio
from typing import Any

from staytrue.core.errors import MissingExtra
from staytrue.core.protocols import Backend
from staytrue.integrations.checking import DEFAULT_METRIC, Checker, worst
from staytrue.plugins.options import share

try:
    from deepeval.metrics import BaseMetric
except ImportError:
    raise MissingExtra("The DeepEval metric", "deepeval") from None


class StaytrueMetric(BaseMetric):
    """Judges `actual_output` by `retrieval_context`, or by `context` where there is none.

    An output that claims nothing, such as a greeting, has no score; the test case passes, and the
    reason says why.
    """

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        metric: str = DEFAULT_METRIC,
        backend: Backend | str | None = None,
    ) -> None:
        self.threshold = share("threshold", threshold)
        self.include_reason = True
        self._checker = Checker(metric, backend)
        self.evaluation_model = self._checker.metric.signature

    def measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float | None:
        """The score; None for an output that claims nothing."""
        passages = test_case.retrieval_context or test_case.context or ()
        verdict = worst(
            self._checker.check(
                test_case.actual_output or "", knowledge=[_text(passage) for passage in passages]
            )
        )
        self.score, self.reason = verdict.score, verdict.reason
        self.success = verdict.score is None or verdict.score >= self.threshold
        return verdict.score

    async def a_measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float | None:
        """The same for code that awaits."""
        return await asyncio.to_thread(self.measure, test_case)

    def is_successful(self) -> bool:
        """Whether the output passed, or claimed nothing that could fail."""
        return self.error is None and bool(self.success)

    @property
    def __name__(self) -> str:
        return "staytrue"


def _text(passage: Any) -> str:
    """A passage is a text, or an object that holds one and its source."""
    return passage if isinstance(passage, str) else str(passage.context)
