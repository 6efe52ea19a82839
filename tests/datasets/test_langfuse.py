"""Langfuse's exports are read as responses with what was retrieved for them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from tests.datasets.exports import read

from staytrue.core.records import Example
from staytrue.datasets import tabular

DOCUMENTS = [{"page_content": "We open at 9.", "metadata": {"source": "a.md"}}]
CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "When?"}]


def observation(number: int, kind: str, trace: str = "t", **fields: Any) -> dict[str, Any]:
    start = f"2026-01-01T00:00:0{number}.000Z"
    return {"id": f"o{number}", "traceId": trace, "type": kind, "startTime": start, **fields}


RETRIEVER = observation(1, "RETRIEVER", input="When?", output=DOCUMENTS)
GENERATION = observation(
    2, "GENERATION", model="gpt-x", input=CHAT, output={"role": "assistant", "content": "At nine."}
)


@pytest.mark.parametrize(
    "content",
    [
        [GENERATION, RETRIEVER],
        {"id": "t", "name": "chat", "observations": [RETRIEVER, GENERATION], "scores": []},
        {"trace": {"id": "t"}, "observations": [RETRIEVER, GENERATION]},
        {"data": [GENERATION, RETRIEVER], "meta": {"cursor": None}},
    ],
    ids=["table", "trace", "download", "page of the API"],
)
def test_a_generation_is_a_response_with_its_history_and_sources(
    tmp_path: Path, content: Any
) -> None:
    (example,) = read(tmp_path / "export.json", content)
    assert (example.id, example.response, example.knowledge) == ("o2", "At nine.", "We open at 9.")
    assert [(turn.speaker, turn.text) for turn in example.history] == [("user", "When?")]
    assert example.tags == {"model": "gpt-x"}


def test_rows_of_a_bucket_have_other_names_and_json_in_text(tmp_path: Path) -> None:
    names = {"traceId": "trace_id", "startTime": "start_time", "model": "provided_model_name"}
    rows = [
        {names.get(k, k): v if isinstance(v, str) else json.dumps(v) for k, v in row.items()}
        for row in (GENERATION, RETRIEVER)
    ]
    path = tmp_path / "observations.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, sorted({*rows[0], *rows[1]}))
        writer.writeheader()
        writer.writerows(rows)
    (example,) = tabular.read(str(path))
    assert isinstance(example, Example)
    assert (example.response, example.knowledge) == ("At nine.", "We open at 9.")
    assert example.tags == {"model": "gpt-x"}


@pytest.mark.parametrize(
    ("output", "response"),
    [
        ("At nine.", "At nine."),
        ({"answer": "At nine."}, "At nine."),
        ([{"role": "assistant", "content": [{"type": "text", "text": "At nine."}]}], "At nine."),
        ({"messages": [{"type": "ai", "content": "At nine."}]}, "At nine."),
    ],
)
def test_answers_in_any_usual_form(tmp_path: Path, output: Any, response: str) -> None:
    (example,) = read(tmp_path / "x.json", [observation(1, "GENERATION", output=output)])
    assert example.response == response


@pytest.mark.parametrize(
    "output", [["We open at 9."], {"documents": [{"content": "We open at 9."}]}, "We open at 9."]
)
def test_sources_in_any_usual_form(tmp_path: Path, output: Any) -> None:
    rows = [observation(1, "RETRIEVER", output=output), GENERATION]
    (example,) = read(tmp_path / "x.json", rows)
    assert example.knowledge == "We open at 9."


def test_calls_of_tools_and_other_steps_are_no_responses(tmp_path: Path) -> None:
    call = observation(
        1, "GENERATION", output={"role": "assistant", "content": None, "tool_calls": [{}]}
    )
    rows = [call, observation(2, "SPAN", output="done"), observation(3, "GENERATION", output=None)]
    assert read(tmp_path / "x.json", rows) == []


def test_later_and_foreign_sources_are_not_taken(tmp_path: Path) -> None:
    rows = [
        GENERATION,
        observation(3, "RETRIEVER", output=["Later."]),
        observation(1, "RETRIEVER", "other", output=["Foreign."]),
    ]
    (example,) = read(tmp_path / "x.json", rows)
    assert example.knowledge == ""


def test_columns_of_the_table_can_still_be_mapped_by_hand(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps([observation(1, "SPAN", output="At nine.")]))
    (example,) = tabular.read(str(tmp_path / "x.json"), {"response": "output"})
    assert isinstance(example, Example)
    assert example.response == "At nine."
