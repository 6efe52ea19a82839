"""OpenTelemetry traces are read as responses with what was retrieved for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.datasets import exports

from staytrue.core.records import Example
from staytrue.datasets import tabular


def text(key: str, value: Any) -> dict[str, Any]:
    told = value if isinstance(value, str) else json.dumps(value)
    return {"key": key, "value": {"stringValue": told}}


def span(number: int, trace: str, *attributes: dict[str, Any]) -> dict[str, Any]:
    return {
        "traceId": trace, "spanId": f"s{number}", "startTimeUnixNano": str(number),
        "attributes": list(attributes),
    }  # fmt: skip


def read(tmp_path: Path, *spans: dict[str, Any]) -> list[Example]:
    trace = {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}
    return exports.read(tmp_path / "trace.jsonl", trace)


def message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def test_a_chat_span_is_a_response_with_its_history_and_sources(tmp_path: Path) -> None:
    retrieval = span(
        1, "t", text("gen_ai.retrieval.documents", [{"id": "a", "content": "We open at 9."}])
    )
    chat = span(
        2, "t",
        text("gen_ai.input.messages", [message("system", "Be brief."), message("user", "When?")]),
        text("gen_ai.output.messages", [message("assistant", "At nine.")]),
        text("gen_ai.request.model", "gpt-x"),
    )  # fmt: skip
    (example,) = read(tmp_path, chat, retrieval)  # in any order
    assert (example.id, example.response, example.knowledge) == ("s2", "At nine.", "We open at 9.")
    assert [(turn.speaker, turn.text) for turn in example.history] == [("user", "When?")]
    assert example.tags == {"model": "gpt-x"}


def test_what_another_trace_retrieved_is_not_taken(tmp_path: Path) -> None:
    other = span(1, "other", text("gen_ai.retrieval.documents", ["Tea."]))
    chat = span(2, "t", text("gen_ai.output.messages", [message("assistant", "Hello.")]))
    (example,) = read(tmp_path, other, chat)
    assert example.knowledge == ""


def test_the_names_of_openinference_are_read(tmp_path: Path) -> None:
    retrieval = span(
        1, "t",
        text("retrieval.documents.0.document.content", "We open at 9."),
        text("retrieval.documents.1.document.content", "We close at 6."),
    )  # fmt: skip
    chat = span(
        2, "t",
        text("llm.input_messages.0.message.role", "user"),
        text("llm.input_messages.0.message.content", "When?"),
        text("llm.output_messages.0.message.role", "assistant"),
        text("llm.output_messages.0.message.content", "At nine."),
        text("llm.model_name", "gpt-x"),
    )  # fmt: skip
    (example,) = read(tmp_path, retrieval, chat)
    assert len(example.passages) == 2
    assert example.response == "At nine."
    assert example.tags == {"model": "gpt-x"}


def test_structured_attributes_are_unwrapped(tmp_path: Path) -> None:
    part = {"kvlistValue": {"values": [{"key": "content", "value": {"stringValue": "Hi."}}]}}
    value = {"kvlistValue": {"values": [
        {"key": "role", "value": {"stringValue": "assistant"}},
        {"key": "parts", "value": {"arrayValue": {"values": [part]}}},
    ]}}  # fmt: skip
    output = {"key": "gen_ai.output.messages", "value": {"arrayValue": {"values": [value]}}}
    (example,) = read(tmp_path, span(1, "t", output))
    assert example.response == "Hi."


def test_spans_without_an_answer_are_no_examples(tmp_path: Path) -> None:
    assert read(tmp_path, span(1, "t", text("http.method", "GET")), {"attributes": 7}) == []


def test_a_trace_may_be_written_in_several_lines(tmp_path: Path) -> None:
    documents = span(1, "t", text("gen_ai.retrieval.documents", ["We open at 9."]))
    chat = span(2, "t", text("gen_ai.output.messages", [message("assistant", "At nine.")]))
    lines = [{"resourceSpans": [{"scopeSpans": [{"spans": [one]}]}]} for one in (chat, documents)]
    (tmp_path / "trace.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (example,) = tabular.read(str(tmp_path / "trace.jsonl"))
    assert isinstance(example, Example)
    assert (example.response, example.knowledge) == ("At nine.", "We open at 9.")
