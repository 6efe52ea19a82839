"""What people judge in Label Studio or Argilla becomes labels by majority."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.conftest import Command

from staytrue.annotation import argilla, label_studio
from staytrue.annotation.blind_names import blind
from staytrue.annotation.exports import read
from staytrue.annotation.judgements import ANSWERS, QUESTION, AnnotatorJudgement, judged, texts
from staytrue.core.errors import DataError
from staytrue.core.records import Example, Turn

KEY = b"secret"
EXAMPLES = [
    Example("gpt-1", "At nine.", "We open at 9.", (Turn("user", "When?"),), ("i am a shop.",)),
    Example("gpt-2", "At ten.", "We open at 9."),
]
ITEMS = [blind(example.id, KEY) for example in EXAMPLES]


def annotation(who: Any, answer: str, **more: Any) -> dict[str, Any]:
    result = {"from_name": QUESTION, "to_name": "response", "type": "choices",
              "value": {"choices": [answer]}}  # fmt: skip
    return {"completed_by": who, "result": [result], **more}


def export(path: Path, rows: Any) -> Path:
    path.write_text(json.dumps(rows))
    return path


def test_tasks_show_everything_but_the_id() -> None:
    for made in (label_studio.tasks, argilla.records):
        first, second = made(EXAMPLES, KEY)
        assert "gpt" not in json.dumps([first, second])
        assert ITEMS[0] in json.dumps(first)
    assert next(label_studio.tasks(EXAMPLES, KEY))["data"]["history"] == "user: When?"
    assert set(second["fields"]) == {"response", "knowledge"}  # no empty ones


def test_the_labelling_interface_shows_the_fields_and_asks_the_question() -> None:
    view = ElementTree.fromstring(label_studio.INTERFACE)
    assert {one.get("value") for one in view.iter("Text")} == {f"${n}" for n in texts(EXAMPLES[0])}
    assert [one.get("value") for one in view.iter("Choice")] == list(ANSWERS)


def test_label_studio_exports_each_annotators_choice(tmp_path: Path) -> None:
    task = {
        "id": 7,
        "data": {"item": ITEMS[0]},
        "annotations": [
            annotation(1, "consistent"),
            annotation({"id": 2, "email": "b@example.org"}, "inconsistent"),
            annotation(3, "consistent", was_cancelled=True),
        ],
        "predictions": [annotation(9, "inconsistent")],
    }
    assert list(read(export(tmp_path / "export.json", [task]))) == [
        AnnotatorJudgement(ITEMS[0], "1", True),
        AnnotatorJudgement(ITEMS[0], "b@example.org", False),
    ]


def test_label_studios_short_exports_are_read_too(tmp_path: Path) -> None:
    row = {"item": ITEMS[0], "response": "At nine.", "annotator": 1, QUESTION: "inconsistent"}
    expected = [AnnotatorJudgement(ITEMS[0], "1", False)]
    assert list(read(export(tmp_path / "min.json", [row]))) == expected
    (tmp_path / "x.csv").write_text(f"annotator,{QUESTION},item\n1,inconsistent,{ITEMS[0]}\n")
    assert list(read(tmp_path / "x.csv")) == expected


def test_argilla_records_are_read_nested_and_flat(tmp_path: Path) -> None:
    nested = {"id": ITEMS[0], "fields": {}, "responses": {
        QUESTION: [{"value": "consistent", "user_id": "u1"}]}}  # fmt: skip
    start = f"{QUESTION}.responses"
    flat = {"id": ITEMS[1], start: ["inconsistent", "consistent"],
            f"{start}.users": ["u1", "u2"], f"{start}.status": ["submitted", "draft"]}  # fmt: skip
    assert list(read(export(tmp_path / "x.json", [nested, flat]))) == [
        AnnotatorJudgement(ITEMS[0], "u1", True), AnnotatorJudgement(ITEMS[1], "u1", False),
    ]  # fmt: skip


def test_the_majority_becomes_the_label_and_a_tie_none() -> None:
    given = [AnnotatorJudgement(ITEMS[0], who, vote) for who, vote in (("a", True), ("b", True))]
    given += [AnnotatorJudgement(ITEMS[1], "a", True), AnnotatorJudgement(ITEMS[1], "b", False)]
    results = judged(given, EXAMPLES, {KEY})
    assert [(e.id, e.consistent) for e in results.examples] == [("gpt-1", True), ("gpt-2", None)]
    assert (results.ties, results.annotators, results.alpha.items) == (1, 2, 2)
    assert results.examples[0].history == EXAMPLES[0].history


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"text": "x"}, "neither a task of Label Studio nor a record of Argilla"),
        ({"item": "a", QUESTION: "perhaps"}, "'perhaps'"),
    ],
)
def test_a_foreign_export_is_refused_with_its_place(
    tmp_path: Path, row: dict[str, Any], says: str
) -> None:
    with pytest.raises(DataError, match=f"item 1: .*{says}"):
        list(read(export(tmp_path / "x.json", [row])))


@pytest.mark.parametrize("tool", ["label-studio", "argilla"])
def test_the_commands_there_and_back(staytrue: Command, tmp_path: Path, tool: str) -> None:
    rows = [{"id": "gpt-1", "response": "tea", "knowledge": "tea"}, {"id": "b", "response": "x"}]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = staytrue("annotate", "tasks", "in.jsonl", "--to", tool, "--out", "tasks.json")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tasks.xml").exists() == (tool == "label-studio")
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    for task in tasks[:1]:  # the second was not judged
        task["annotations"] = [annotation(1, "inconsistent")]
        task["responses"] = {QUESTION: [{"value": "inconsistent", "user_id": "u"}]}
    if tool == "label-studio":
        tasks = [{k: v for k, v in task.items() if k != "responses"} for task in tasks]
    else:
        tasks = [{"responses": {}, **task} for task in tasks]
    export(tmp_path / "export.json", tasks)
    done = staytrue("annotate", "judgements", "in.jsonl", "export.json", "--out", "judged.jsonl")
    assert done.returncode == 0, done.stderr
    assert "1 response in judged.jsonl, with 1 judgement of 1 annotator;" in done.stderr
    (row,) = map(json.loads, (tmp_path / "judged.jsonl").read_text().splitlines())
    assert (row["id"], row["consistent"]) == ("gpt-1", False)
    (tmp_path / "sheets.key").write_text("another")
    done = staytrue("annotate", "judgements", "in.jsonl", "export.json", "--out", "x.jsonl")
    assert (done.returncode, "--key" in done.stderr) == (2, True)


def test_an_export_without_judgements_says_so(staytrue: Command, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"response": "x"}')
    export(tmp_path / "x.json", [{"data": {"item": "a"}, "annotations": []}])
    done = staytrue("annotate", "judgements", "in.jsonl", "x.json", "--out", "judged.jsonl")
    assert done.returncode == 2
    assert "no judgement" in done.stderr
