"""Phoenix's exports are read as responses with what was retrieved for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.datasets.exports import read

from staytrue.core.records import Example
from staytrue.datasets import tabular

DOCUMENTS = [{"document": {"id": "a", "content": "We open at 9."}}]
ASKED = [
    {"message": {"role": "system", "content": "Be brief."}},
    {"message": {"role": "user", "content": "When?"}},
]
SAID = [{"message": {"role": "assistant", "content": "At nine."}}]


def span(number: int, kind: str, attributes: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"U3Bhbjox{number}", "name": kind.lower(), "span_kind": kind, "parent_id": None,
        "context": {"trace_id": "t", "span_id": f"s{number}"},
        "start_time": f"2026-01-01T00:00:0{number}+00:00", "attributes": attributes, "events": [],
    }  # fmt: skip


NESTED = [
    span(2, "LLM", {"llm": {"input_messages": ASKED, "output_messages": SAID, "model_name": "m"}}),
    span(1, "RETRIEVER", {"retrieval": {"documents": DOCUMENTS}}),
]
DOTTED = [
    span(2, "LLM", {
        "llm.model_name": "m",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "When?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "At nine.",
    }),
    span(1, "RETRIEVER", {"retrieval.documents.0.document.content": "We open at 9."}),
]  # fmt: skip
FRAME = [
    {
        "name": "llm", "span_kind": "LLM", "start_time": 2, "context.trace_id": "t",
        "context.span_id": "s2", "attributes.llm.model_name": "m",
        "attributes.llm.input_messages": [{"message.role": "user", "message.content": "When?"}],
        "attributes.llm.output_messages": [
            {"message.role": "assistant", "message.content": "At nine."}
        ],
        "attributes.retrieval.documents": None,
    },
    {
        "name": "retriever", "span_kind": "RETRIEVER", "start_time": 1, "context.trace_id": "t",
        "context.span_id": "s1", "attributes.llm.model_name": None,
        "attributes.llm.input_messages": None, "attributes.llm.output_messages": None,
        "attributes.retrieval.documents": [{"document.content": "We open at 9."}],
    },
]  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [{"data": NESTED, "next_cursor": None}, {"spans": DOTTED}, DOTTED, FRAME],
    ids=["page of the API", "trace", "list", "data frame"],
)
def test_an_answer_of_a_model_is_a_response_with_its_history_and_sources(
    tmp_path: Path, content: Any
) -> None:
    (example,) = read(tmp_path / "spans.json", content)
    assert (example.id, example.response, example.knowledge) == ("s2", "At nine.", "We open at 9.")
    assert [(turn.speaker, turn.text) for turn in example.history] == [("user", "When?")]
    assert example.tags == {"model": "m"}


def test_a_data_frame_in_parquet_is_read(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.Table.from_pylist(FRAME), tmp_path / "spans.parquet")
    (example,) = tabular.read(str(tmp_path / "spans.parquet"))
    assert isinstance(example, Example)
    assert (example.response, example.knowledge) == ("At nine.", "We open at 9.")


def test_a_model_that_is_no_chat_has_plain_texts(tmp_path: Path) -> None:
    values = {"input": {"value": "When?"}, "output": {"value": "At nine."}}
    chain = span(1, "CHAIN", values)
    (example,) = read(tmp_path / "x.json", [chain, span(2, "LLM", values)])
    assert (example.id, example.response, example.message) == ("s2", "At nine.", "When?")


def test_calls_of_tools_and_json_are_no_responses(tmp_path: Path) -> None:
    call = {"llm.output_messages.0.message.role": "assistant"}
    raw = {"output.value": "{}", "output.mime_type": "application/json"}
    assert read(tmp_path / "x.json", [span(1, "LLM", call), span(2, "LLM", raw)]) == []


def test_attributes_nested_by_the_hundred_do_no_harm(tmp_path: Path) -> None:
    deep: dict[str, Any] = {}
    for _ in range(900):
        deep = {"x": deep}
    assert read(tmp_path / "x.json", [span(1, "LLM", deep)]) == []
