"""A scorer for Inspect AI: is the output true to the sample's knowledge?

Task(dataset=..., solver=generate(), scorer=staytrue_scorer(knowledge="context"))
"""

from __future__ import annotations

import asyncio
from typing import Any

from staytrue.core.errors import MissingExtra, UsageError
from staytrue.core.protocols import Backend
from staytrue.integrations.checking import DEFAULT_METRIC, Checker, worst

try:
    from inspect_ai.scorer import Score, Scorer, mean, scorer, stderr
except ImportError:
    raise MissingExtra("The Inspect scorer", "inspect") from None


@scorer(metrics=[mean(), stderr()], name="staytrue")
def staytrue_scorer(
    knowledge: str = "knowledge",
    metric: str = DEFAULT_METRIC,
    backend: Backend | str | None = None,
) -> Scorer:
    """`knowledge` names the sample's metadata that holds it: a text or a list of passages.

    A response that claims nothing is unscored, which Inspect leaves out of its means.
    """
    checker = Checker(metric, backend)

    async def score(state: Any, target: Any) -> Score:
        passages = state.metadata.get(knowledge)
        if not passages:
            known = ", ".join(state.metadata) or "none"
            raise UsageError(
                f"The sample has no metadata '{knowledge}' to judge by; it has: {known}."
            )
        answer = state.output.completion
        verdict = worst(await asyncio.to_thread(checker.check, answer, knowledge=passages))
        if verdict.score is None:
            return Score.unscored(answer=answer, explanation=verdict.reason)
        return Score(value=verdict.score, answer=answer, explanation=verdict.reason)

    return score
