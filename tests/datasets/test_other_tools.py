"""Rows of other tools are read as they are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from staytrue.core.records import Example, Failure, Turn
from staytrue.datasets.tabular import read

CHAT = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Hi."},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "When do you open?"},
    {"role": "assistant", "content": [{"type": "text", "text": "At nine."}]},
]
HI = Turn("user", "Hi.")


def one(folder: Path, row: dict[str, Any], name: str = "rows.jsonl") -> Example:
    path = folder / name
    path.write_text(json.dumps(row))
    (example,) = read(str(path))
    assert isinstance(example, Example), example
    return example


def test_ragas(tmp_path: Path) -> None:
    row = {"user_input": "When?", "retrieved_contexts": ["Open at 9.", "Closed on Sunday."],
           "response": "At nine.", "reference": "nine"}  # fmt: skip
    example = one(tmp_path, row)
    assert (example.response, example.message) == ("At nine.", "When?")
    assert [example.knowledge[p.start : p.end] for p in example.passages] == row[
        "retrieved_contexts"
    ]


@pytest.mark.parametrize("knowledge", [{"contexts": ["Open at 9."]}, {"context": "Open at 9."}])
def test_ragas_before_0_2_and_a_plain_context(tmp_path: Path, knowledge: dict[str, Any]) -> None:
    row = {"question": "When?", "answer": "At nine.", "ground_truth": "nine", **knowledge}
    example = one(tmp_path, row)
    assert (example.response, example.message) == ("At nine.", "When?")
    assert example.knowledge == "Open at 9."


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"response": "r", "answer": "gold"}, Example("x", "r")),
        ({"messages": CHAT[1:3], "answer": "gold"}, Example("x", "Hello.", "", (HI,))),
        ({"response": "r", "history": ["Hi."], "question": "Hi."}, Example("x", "r", "", (HI,))),
        ({"response": "r", "context": CHAT[:2]}, Example("x", "r")),
        ({"response": "r", "context": {"trace_id": "t"}}, Example("x", "r")),
        ({"response": "r", "context": "c", "knowledge": "k"}, Example("x", "r", "k")),
    ],
)
def test_common_names_that_mean_something_else_are_left_alone(
    tmp_path: Path, row: dict[str, Any], expected: Example
) -> None:
    assert one(tmp_path, {"id": "x", **row}) == expected


def test_a_column_that_is_mapped_is_not_read_a_second_time(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"answer": "a", "context": "I ski."}))
    (example,) = read(str(tmp_path / "x.jsonl"), {"persona": "context"})
    assert isinstance(example, Example)
    assert (example.persona, example.knowledge) == (("I ski.",), "")


def test_ragas_with_several_turns(tmp_path: Path) -> None:
    turns = [{"type": "human", "content": "When?"}, {"type": "ai", "content": "At nine."}]
    example = one(tmp_path, {"user_input": turns, "retrieved_contexts": ["Open at 9."]})
    assert (example.response, example.message) == ("At nine.", "When?")


def test_deepeval(tmp_path: Path) -> None:
    row = {"input": "When?", "actual_output": "At nine.", "retrieval_context": ["Open at 9."]}
    example = one(tmp_path, row)
    assert (example.response, example.message) == ("At nine.", "When?")
    assert example.knowledge == "Open at 9."


def test_openai_messages(tmp_path: Path) -> None:
    example = one(tmp_path, {"messages": CHAT, "knowledge": "Open at 9."})
    assert example.response == "At nine."
    assert [(t.speaker, t.text) for t in example.history] == [
        ("user", "Hi."), ("bot", "Hello."), ("user", "When do you open?"),
    ]  # fmt: skip


def test_what_tools_return_before_the_answer_is_its_knowledge(tmp_path: Path) -> None:
    call = {"role": "assistant", "tool_calls": [{"id": "1", "type": "function"}]}
    found_by_tool = {"role": "tool", "tool_call_id": "1", "content": "Open at 9."}
    later = {"role": "tool", "content": "Closed on Sundays."}
    row = {"messages": [*CHAT[:-1], call, found_by_tool, CHAT[-1], later]}
    example = one(tmp_path, row)
    assert (example.response, example.knowledge) == ("At nine.", "Open at 9.")
    assert [t.speaker for t in example.history] == ["user", "bot", "user"]
    assert one(tmp_path, {**row, "knowledge": "Ours."}).knowledge == "Ours."


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"price": 3, "dish": "Käse"}, '{"price": 3, "dish": "Käse"}'),
        ([{"price": 3}], '[{"price": 3}]'),
        ([{"type": "text", "text": "Open at 9."}], "Open at 9."),
        ({}, ""),
        (None, ""),
    ],
)
def test_data_that_a_tool_returns_is_told_as_json(
    tmp_path: Path, content: object, told: str
) -> None:
    row = {"messages": [*CHAT[:-1], {"role": "tool", "content": content}, CHAT[-1]]}
    assert one(tmp_path, row).knowledge == told


@pytest.mark.parametrize("field", ["knowledge", "persona"])
def test_the_systems_instructions_are_judged_against_only_if_asked(
    tmp_path: Path, field: str
) -> None:
    row = {"messages": [{"role": "system", "content": "Open at 9."}, *CHAT[1:]]}
    assert one(tmp_path, row).knowledge == ""
    (tmp_path / "x.jsonl").write_text(json.dumps(row))
    (example,) = read(str(tmp_path / "x.jsonl"), {field: "system"})
    assert isinstance(example, Example)
    assert getattr(example, field) in ("Open at 9.", ("Open at 9.",))


def test_a_chat_without_an_answer_says_so(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"messages": CHAT[:2]}))
    (example,) = read(str(tmp_path / "x.jsonl"))
    assert isinstance(example, Failure)
    assert "no message of the assistant" in example.error


ANSWER = {"choices": [{"message": {"role": "assistant", "content": "At nine."}}]}
SAMPLES = [
    {"id": 1, "epoch": 1, "input": "When?", "output": ANSWER,
     "metadata": {"knowledge": "Open at 9."}},
    {"id": 1, "epoch": 2, "input": CHAT[:2], "output": ANSWER},
]  # fmt: skip


def inspect_log(path: Path) -> str:
    """The samples as Inspect stores them: one JSON file, or an archive with a file for each."""
    header = {"version": 2, "eval": {"task": "t"}}
    if path.suffix == ".json":
        path.write_text(json.dumps({**header, "samples": SAMPLES}))
        return str(path)
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(header))
        for sample in SAMPLES:
            archive.writestr(
                f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample, indent=2)
            )
        archive.writestr("summaries.json", "[]")
        archive.writestr("header.json", json.dumps(header))
    return str(path)


@pytest.mark.parametrize("name", ["log.json", "log.eval", "log"])
def test_an_inspect_log_is_its_samples(tmp_path: Path, name: str) -> None:
    first, second = read(inspect_log(tmp_path / name))
    assert isinstance(first, Example)
    assert isinstance(second, Example)
    assert (first.id, first.response, first.message) == ("1", "At nine.", "When?")
    assert first.knowledge == "Open at 9."
    assert (second.id, second.message) == ("1-2", "Hi.")


def test_our_own_names_are_never_replaced(tmp_path: Path) -> None:
    row = {"response": "r", "message": "m", "user_input": "theirs", "messages": CHAT}
    example = one(tmp_path, row)
    assert example.response == "r"


@pytest.mark.parametrize("columns", [{}, {"response": "reply"}])
def test_a_missing_column_lists_those_that_are_there(
    tmp_path: Path, columns: dict[str, str]
) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"text": "a", "source": "c"}))
    (example,) = read(str(tmp_path / "x.jsonl"), columns)
    assert isinstance(example, Failure)
    assert "its columns are text, source." in example.error
