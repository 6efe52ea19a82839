"""Phoenix's exports as spans: a page of its API, or rows of its data frame of spans.

The attributes are those of OpenInference, nested, with dots, or as columns `attributes.NAME`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from staytrue.datasets.spans import TraceSpan, messages

_DEEPEST = 20  # no attribute that is read lies deeper, and a hostile file may nest by the thousand


def spans(values: Mapping[str, Any]) -> list[TraceSpan]:
    """The spans of a row; none if it is not Phoenix's."""
    for name in ("data", "spans"):
        inside = values.get(name)
        if isinstance(inside, list):
            return [_span(one) for one in inside if isinstance(one, Mapping) and _is_one(one)]
    return [_span(values)] if _is_one(values) else []


def _is_one(values: Mapping[str, Any]) -> bool:
    context = values.get("context")
    return "context.trace_id" in values or (isinstance(context, Mapping) and "trace_id" in context)


def _span(row: Mapping[str, Any]) -> TraceSpan:
    flat = dict(_flat("", row))
    attributes = {
        name.removeprefix("attributes."): value
        for name, value in flat.items()
        if name.startswith("attributes.") and value is not None
    }
    kind = flat.get("span_kind") or attributes.get("openinference.span.kind")
    if kind == "LLM" and not messages(attributes, "output"):
        attributes |= _plain_texts(attributes)
    return TraceSpan(
        trace=str(flat["context.trace_id"]),
        id=str(flat.get("context.span_id") or ""),
        start=str(flat.get("start_time") or ""),
        values=attributes,
    )


def _plain_texts(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Input and output of a model that is not a chat's; JSON is for other programs to read."""
    texts = {
        side: attributes.get(f"{side}.value")
        for side in ("input", "output")
        if attributes.get(f"{side}.mime_type") != "application/json"
    }
    roles = {"input": "user", "output": "assistant"}
    return {
        f"gen_ai.{side}.messages": [{"role": roles[side], "content": text}]
        for side, text in texts.items()
        if isinstance(text, str) and text
    }


def _flat(start: str, value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Nested objects as names with dots; lists of objects are numbered, as OpenInference does."""
    if depth == _DEEPEST:
        yield start, value
        return
    if isinstance(value, Mapping):
        inside = value.items()
    elif isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
        inside = dict(enumerate(value)).items()
    else:
        yield start, value
        return
    for name, one in inside:
        yield from _flat(f"{start}.{name}" if start else str(name), one, depth + 1)
