"""A metric for DeepEval: is the output true to the retrieval context?

from staytrue.integrations.deepeval import StaytrueMetric
assert_test(test_case, [StaytrueMetric(threshold=0.5)])
"""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import Any

from staytrue.core.errors import MissingExtra
from staytrue.integrations.checking import PassMark, worst

try:
    from deepeval.metrics import BaseMetric
except ImportError:
    raise MissingExtra("The DeepEval metric", "deepeval") from None


class StaytrueMetric(PassMark, BaseMetric):
    """Judges `actual_output` by `retrieval_context`, or by `context` where there is none.

    An output that claims nothing, such as a greeting, has no score; the test case passes, and the
    reason says why.
    """

    include_reason = True

    @cached_property
    def evaluation_model(self) -> str:
        """The metric's signature, unless DeepEval sets another from its cache."""
        return self._checker.metric.signature

    def measure(self, test_case: Any, *args: Any, **kwargs: Any) -> float | None:
        """The score; None for an output that claims nothing."""
        passages = test_case.retrieval_context or test_case.context or ()
        verdict = worst(
            self._checker.check(
                test_case.actual_output or "", knowledge=[_text(passage) for passage in passages]
            )
        )
        self.score, self.reason = verdict.score, verdict.reason
        self.success = self._passes(verdict) is not False
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
