"""LangChain: collect what a chain answered, evaluate it, or guard it before it is sent.

collector = ExampleCollector()
chain.invoke(question, config={"callbacks": [collector]})
staytrue.evaluate(collector.examples, "consistency")

chain = retrieve_and_answer | guard_step(Guard())
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from staytrue.core.errors import MissingExtra
from staytrue.core.protocols import Backend
from staytrue.core.records import Example
from staytrue.integrations.checking import DEFAULT_METRIC, Checker, collected, worst
from staytrue.integrations.guard import Guard, Ruling

try:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.runnables import RunnableLambda
except ImportError:
    raise MissingExtra("The LangChain bridge", "langchain") from None

_ANSWERS = ("answer", "output", "response", "result", "text")
_QUESTIONS = ("question", "input", "query", "messages")
_CONTEXTS = ("context", "documents", "source_documents", "sources")


@dataclass
class _Trace:
    """One call of a chain: what was asked, and what was retrieved meanwhile."""

    asked: Any
    documents: list[Any] = field(default_factory=list)


class ExampleCollector(BaseCallbackHandler):
    """A callback that makes an example of every call of a chain; one object serves many threads."""

    def __init__(self) -> None:
        self.examples: list[Example] = []
        """What the chains answered so far, with all that was retrieved for it."""
        self._roots: dict[UUID, UUID] = {}
        self._traces: dict[UUID, _Trace] = {}
        self._lock = threading.Lock()

    def on_chain_start(
        self, serialized: Any, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        """Remember who called whom, and what the outermost chain was asked."""
        with self._lock:
            if parent_run_id is None:
                self._traces[run_id] = _Trace(inputs)
            self._follow(run_id, parent_run_id)

    def on_retriever_start(
        self, serialized: Any, query: str, *, run_id: UUID, parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        """Remember for whom it retrieves."""
        with self._lock:
            self._follow(run_id, parent_run_id)

    def on_retriever_end(self, documents: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Keep what was retrieved."""
        with self._lock:
            trace = self._traces.get(self._roots.pop(run_id, run_id))
            if trace is not None:
                trace.documents.extend(documents)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """The outermost chain has answered: that is an example."""
        with self._lock:
            self._roots.pop(run_id, None)
            trace = self._traces.pop(run_id, None)
            if trace is not None:
                documents = trace.documents or _named(outputs, _CONTEXTS) or ()
                question = _text(_named(trace.asked, _QUESTIONS) or trace.asked)
                answer = _text(_named(outputs, _ANSWERS) or outputs)
                passages = map(_passage, _listed(documents))
                self.examples.append(collected(str(run_id), question, answer, passages))

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """A call that failed answered nothing."""
        with self._lock:
            self._roots.pop(run_id, None)
            self._traces.pop(run_id, None)

    def _follow(self, run_id: UUID, parent: UUID | None) -> None:
        self._roots[run_id] = self._roots.get(parent, parent) if parent else run_id


def guard_step(
    guard: Guard, blocked: Callable[[Mapping[str, Any], Ruling], str] | None = None
) -> Any:
    """A step for the end of a chain that gives `answer` and `context`: the same, with `ruling`.

    `blocked` writes the answer that replaces a blocked one; without it the answer stays.
    """

    def judged(values: Mapping[str, Any]) -> dict[str, Any]:
        passages = [_passage(document)[2] for document in _listed(_named(values, _CONTEXTS) or ())]
        ruling = guard.check(_text(_named(values, _ANSWERS)), knowledge=passages)
        guarded = {**values, "ruling": ruling}
        if blocked is not None and ruling.status == "blocked":
            guarded["answer"] = blocked(values, ruling)
        return guarded

    return RunnableLambda(judged, name="staytrue")


def evaluator(
    metric: str = DEFAULT_METRIC, backend: Backend | str | None = None
) -> Callable[..., dict[str, Any]]:
    """An evaluator for LangSmith's `evaluate`: judges `outputs` by their `context`."""
    checker = Checker(metric, backend)

    def staytrue(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> dict[str, Any]:
        documents = _named(outputs, _CONTEXTS) or _named(inputs, _CONTEXTS) or ()
        passages = [_passage(document)[2] for document in _listed(documents)]
        verdict = worst(checker.check(_text(_named(outputs, _ANSWERS)), knowledge=passages))
        return {"key": "staytrue", "score": verdict.score, "comment": verdict.reason}

    return staytrue


def _named(values: Any, names: Sequence[str]) -> Any:
    if not isinstance(values, Mapping):
        return None
    return next((values[name] for name in names if values.get(name) is not None), None)


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else [value]


def _passage(document: Any) -> tuple[str, str, str]:
    """Id, title and text of a document."""
    if isinstance(document, str):
        return "", "", document
    metadata = getattr(document, "metadata", None) or {}
    id_ = getattr(document, "id", None) or metadata.get("source") or ""
    return str(id_), str(metadata.get("title") or ""), str(document.page_content)


def _text(value: Any) -> str:
    """The text of a message, of the last of several, or of whatever a chain gives."""
    if isinstance(value, (list, tuple)):
        return _text(value[-1]) if value else ""
    if isinstance(value, str) or value is None:
        return value or ""
    if hasattr(value, "content"):
        content = value.text if isinstance(getattr(value, "text", None), str) else value.content
        return str(content)
    return str(value)
