"""Langfuse's exports as spans: the download of a trace, a page of its API, or the table's rows.

A generation is a model's answer; what a retriever gave before it in the same trace is its
knowledge. The API writes names as traceId, exports to a bucket as trace_id.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from staytrue.datasets.spans import TraceSpan, decoded

_ANSWER, _RETRIEVAL = "GENERATION", "RETRIEVER"
# What a prompt or an answer is called where it is a field of an object.
_TEXTS = ("content", "text", "output", "answer", "response", "input", "question", "query", "prompt")


def spans(values: Mapping[str, Any]) -> list[TraceSpan]:
    """The observations of a row; none if it is not Langfuse's."""
    for name in ("observations", "data"):
        inside = values.get(name)
        if isinstance(inside, list):
            observations = [one for one in inside if isinstance(one, Mapping) and _is_one(one)]
            return [_span(one) for one in observations]
    return [_span(values)] if _is_one(values) else []


def _is_one(values: Mapping[str, Any]) -> bool:
    return "type" in values and bool({"traceId", "trace_id"} & set(values))


def _span(observation: Mapping[str, Any]) -> TraceSpan:
    kind = str(observation["type"]).upper()
    output = decoded(observation.get("output"))
    values: dict[str, Any] = {}
    if kind == _RETRIEVAL:
        values["gen_ai.retrieval.documents"] = _documents(output)
    elif kind == _ANSWER:
        values = {
            "gen_ai.output.messages": _messages(output, "assistant"),
            "gen_ai.input.messages": _messages(decoded(observation.get("input")), "user"),
            "gen_ai.request.model": _named(
                observation, "model", "providedModelName", "provided_model_name"
            ),
        }
    return TraceSpan(
        trace=str(_named(observation, "traceId", "trace_id")),
        id=str(observation.get("id", "")),
        start=str(_named(observation, "startTime", "start_time")),
        values=values,
    )


def _named(observation: Mapping[str, Any], *names: str) -> Any:
    return next((observation[name] for name in names if observation.get(name)), "")


def _messages(value: Any, role: str) -> list[Any]:
    """The messages of a chat; a plain text is one of `role`."""
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        return [{"role": role, "content": value}]
    if not isinstance(value, Mapping):
        return []
    if isinstance(value.get("messages"), list):
        return list(value["messages"])
    text = next((value[name] for name in _TEXTS if value.get(name)), None)
    return [{"role": value.get("role", role), "content": text}]


def _documents(value: Any) -> list[Any]:
    """What a retriever returned: texts, or documents with their text under a usual name."""
    if isinstance(value, Mapping):
        listed = next((one for one in value.values() if isinstance(one, list)), None)
        return [value] if listed is None else listed
    if isinstance(value, list):
        return value
    return [value] if value else []
