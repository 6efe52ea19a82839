"""LlamaIndex: evaluate a response by its contexts, or collect what query engines answer.

StaytrueEvaluator().evaluate_response(response=query_engine.query("…"))

collector = ExampleCollector()
get_dispatcher().add_event_handler(collector)
query_engine.query("…")
staytrue.evaluate(collector.examples, "consistency")
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from staytrue.core.errors import MissingExtra
from staytrue.core.records import Example
from staytrue.integrations.checking import PassMark, collected, worst

try:
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
    from llama_index.core.instrumentation.event_handlers import BaseEventHandler
    from llama_index.core.instrumentation.events.query import QueryEndEvent
except ImportError:
    raise MissingExtra("The LlamaIndex bridge", "llamaindex") from None


class ExampleCollector(BaseEventHandler):
    """An event handler that makes an example of every query; one object serves many threads.

    A streamed response is left out: it has no text when the query ends.
    """

    _examples: list[Example] = PrivateAttr(default_factory=list)

    @classmethod
    def class_name(cls) -> str:
        """The name that LlamaIndex shows."""
        return "ExampleCollector"

    @property
    def examples(self) -> list[Example]:
        """What the query engines answered so far, with the nodes that were retrieved for it."""
        return self._examples

    def handle(self, event: Any, **kwargs: Any) -> None:
        """A query has been answered: that is an example."""
        if not isinstance(event, QueryEndEvent) or hasattr(event.response, "response_gen"):
            return
        answer = event.response.response
        self._examples.append(
            collected(
                event.id_,
                str(getattr(event.query, "query_str", event.query)),
                "" if answer is None else str(answer),
                map(_passage, event.response.source_nodes),
            )
        )


def _passage(source: Any) -> tuple[str, str, str]:
    """Id, title and text of a retrieved node."""
    node = source.node
    return str(node.node_id), str(node.metadata.get("title") or ""), node.get_content()


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
