"""Traces of generative AI: each model's answer is a response, what was retrieved its knowledge.

Read is OpenTelemetry as OTLP in JSON, by the semantic conventions (`gen_ai.input.messages`,
`gen_ai.output.messages`, `gen_ai.retrieval.documents`) or by the names of OpenInference. Other
exports become the same spans in `langfuse` and `phoenix`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SPEAKERS = {"assistant": "bot", "ai": "bot", "human": "user"}
"""Their name of a speaker → ours."""
INSTRUCTIONS = frozenset({"system", "developer"})
TOOLS = frozenset({"tool", "function"})
NOBODY = INSTRUCTIONS | TOOLS
"""Messages of a chat that no one says."""
_DOCUMENTS = ("gen_ai.retrieval.documents", "retrieval.documents")


@dataclass(frozen=True, slots=True)
class TraceSpan:
    """One step of a trace."""

    trace: str
    id: str
    start: str
    """When it started; spans of one file are put in order by it."""
    values: Mapping[str, Any]
    """Its attributes, by either convention."""


def answers(spans: Iterable[TraceSpan]) -> Iterator[dict[str, Any]]:
    """The fields of one example for each span that holds a model's answer."""
    retrieved: dict[str, list[str]] = {}
    for span in sorted(spans, key=lambda span: span.start):
        documents = retrieved.setdefault(span.trace, [])
        documents += _documents(span.values)
        replies = messages(span.values, "output")
        if replies:
            history = messages(span.values, "input")
            yield {
                "id": span.id,
                "response": replies[-1]["text"],
                "history": [turn for turn in history if turn["speaker"] not in NOBODY],
                "knowledge": list(dict.fromkeys(documents)),
                "tags": _tags(span.values),
            }


def from_otlp(trace: Mapping[str, Any]) -> Iterator[TraceSpan]:
    """The spans of an OTLP document."""
    for resource in _list(trace.get("resourceSpans")):
        for scope in _list(resource.get("scopeSpans")):
            for span in _list(scope.get("spans")):
                yield TraceSpan(
                    trace=str(span.get("traceId", "")),
                    id=str(span.get("spanId", "")),
                    start=str(span.get("startTimeUnixNano") or 0).zfill(20),
                    values=dict(map(_attribute, _list(span.get("attributes")))),
                )


def _list(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _attribute(attribute: Mapping[str, Any]) -> tuple[str, Any]:
    return str(attribute.get("key", "")), _plain(attribute.get("value"))


def _plain(value: Any) -> Any:
    """A value without OTLP's wrapping; text that holds JSON is decoded."""
    if not isinstance(value, Mapping):
        return value
    if "arrayValue" in value:
        inside = value["arrayValue"]
        return [_plain(item) for item in _list(inside.get("values"))] if inside else []
    if "kvlistValue" in value:
        return dict(map(_attribute, _list((value["kvlistValue"] or {}).get("values"))))
    return decoded(next(iter(value.values()), None))


def decoded(value: Any) -> Any:
    """The value; text that holds JSON as what it holds."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def messages(values: Mapping[str, Any], side: str) -> list[dict[str, str]]:
    """What was said on one side of a model, "input" or "output", by either convention."""
    listed = values.get(f"gen_ai.{side}.messages")
    if isinstance(listed, list):
        return [turn for message in _list(listed) if (turn := _turn(message))["text"]]
    turns = []
    for number in range(len(values)):
        start = f"llm.{side}_messages.{number}.message."
        role, text = values.get(f"{start}role"), values.get(f"{start}content")
        if role is None and text is None:
            break
        if text:  # a call of a tool has none
            turns.append({"speaker": SPEAKERS.get(str(role), str(role or "")), "text": str(text)})
    return turns


def _turn(message: Mapping[str, Any]) -> dict[str, str]:
    role = str(message.get("role", message.get("type", "")))
    parts = message.get("parts", message.get("content"))
    if isinstance(parts, list):
        texts = [part.get("content", part.get("text")) for part in _list(parts)]
        text = "\n".join(one for one in texts if isinstance(one, str))
    else:
        text = parts if isinstance(parts, str) else ""
    return {"speaker": SPEAKERS.get(role, role), "text": text}


def _documents(values: Mapping[str, Any]) -> list[str]:
    """Texts of what was retrieved, by either convention."""
    texts = []
    for name in _DOCUMENTS:
        documents = values.get(name)
        for document in documents if isinstance(documents, list) else ():
            content = document if isinstance(document, str) else _content(document)
            texts += [content] if content else []
    for number in range(len(values)):
        text = values.get(f"retrieval.documents.{number}.document.content")
        if text is None:
            break
        texts.append(str(text))
    return texts


def _content(document: Any) -> str:
    if not isinstance(document, Mapping):
        return ""
    names: Sequence[str] = ("content", "text", "page_content", "document.content")
    return str(next((document[name] for name in names if document.get(name)), ""))


def _tags(values: Mapping[str, Any]) -> dict[str, str]:
    names = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")
    model = next((values[name] for name in names if values.get(name)), None)
    return {"model": str(model)} if model else {}
