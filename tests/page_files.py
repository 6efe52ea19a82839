"""The files that a page assumes its reader to have: a published set, filled sheets, exports."""

from __future__ import annotations

import csv
import importlib.util
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.conftest import REPOSITORY, Command
from tests.datasets.test_langfuse import GENERATION, RETRIEVER

from staytrue.annotation.begin_rule import QUESTIONS

EXAMPLES = REPOSITORY / "examples"


_NEEDED = {"cluster.md": "ray", "pytest-and-guard.md": "fastapi", "report-and-app.md": "fastapi"}
"""Page → an optional package that its commands need."""


def marks(page: str) -> list[pytest.MarkDecorator]:
    """Where the commands of a page can run."""
    needed = _NEEDED.get(page)
    if needed is None:
        return []
    there = importlib.util.find_spec(needed) is not None
    given = [pytest.mark.skipif(not there, reason=f"{needed} is not installed")]
    # In the process of the other tests on Ray: two clusters do not fit on one machine.
    return [*given, pytest.mark.xdist_group("ray")] if needed == "ray" else given


def prepare(page: str, folder: Path, staytrue: Command) -> None:
    """Put the examples, and what else the page needs, into a folder."""
    shutil.copytree(EXAMPLES, folder / "examples")
    if page in _PREPARED:
        _PREPARED[page](folder, staytrue)


def _grounded(number: int) -> list[dict[str, str]]:
    lines = (EXAMPLES / "grounded.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines[:number]]


def _write_json_lines(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def _write_table(path: Path, rows: list[dict[str, str]], delimiter: str = ",") -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def _sheet(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def _done(staytrue: Command, *arguments: object) -> None:
    done = staytrue(*arguments)
    assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"


def _some_answers(name: str, number: int) -> Callable[[Path, Command], None]:
    def write(folder: Path, staytrue: Command) -> None:
        _write_json_lines(folder / name, _grounded(number))

    return write


def _begin(folder: Path, staytrue: Command) -> None:
    rows = [
        {"model": "t5", "evidence": row["knowledge"], "previous turn": row["message"],
         "response": row["response"], "gold label": row["label"]}
        for row in _grounded(8)
    ]  # fmt: skip
    _write_table(folder / "begin_dev.tsv", rows, "\t")
    _write_json_lines(folder / "dialogues.jsonl", _grounded(4))
    # The key stays beside the sheet, so the page's own sheet has the same blind names.
    _done(staytrue, "questionnaire", "sheet", "dialogues.jsonl", "--out", "sheet.csv")
    grounded = {"topic": "5", "personal": "1", "informs": "5", "contradicts": "1", "supported": "5"}
    answers = {QUESTIONS[field]: answer for field, answer in grounded.items()}
    for name in ("ann", "bob"):
        filled = [row | answers for row in _sheet(folder / "sheet.csv")]
        _write_table(folder / f"{name}.csv", filled)


def _bridges(folder: Path, staytrue: Command) -> None:
    (folder / "trace.json").write_text(json.dumps([RETRIEVER, GENERATION]))
    tasks = ("annotate", "tasks", "examples/grounded.jsonl", "--to", "label-studio")
    _done(staytrue, *tasks, "--out", "tasks.json")
    exported = json.loads((folder / "tasks.json").read_text("utf-8"))
    for number, task in enumerate(exported):
        answer = {"choices": ["inconsistent" if number % 2 else "consistent"]}
        result = {"from_name": "consistent", "to_name": "response", "type": "choices"}
        task["annotations"] = [{"completed_by": 1, "result": [result | {"value": answer}]}]
    (folder / "export.json").write_text(json.dumps(exported))


def _cluster(folder: Path, staytrue: Command) -> None:
    _write_json_lines(folder / "responses.jsonl", _grounded(2))
    rows = (EXAMPLES / "probes.jsonl").read_text("utf-8").splitlines(keepends=True)
    (folder / "probes.placed.jsonl").write_text("".join(rows[:3]), "utf-8")


def _interrogate(folder: Path, staytrue: Command) -> None:
    """The run of the page, which its commands then resume, and the sheets that people fill in."""
    bots = ("--bot", "persona:seed=1,slip=0", "--bot", "persona:seed=2,slip=0.3")
    few = ("--dialogues", 5, "--seed", 1)
    _done(staytrue, "interrogate", *bots, *few, "--out", "aih")
    _done(staytrue, "annotate", "sheet", "aih", "--dialogues", 3, "--out", "sheet.csv")
    turns = "".join(f"User: go on\nSystem: i like tea {number}\n" for number in range(6))
    (folder / "dstc9").mkdir()
    for bot in ("kim", "lee"):
        talk = json.dumps({"context": turns, "consistent": 1})
        (folder / "dstc9" / f"dstc9_{bot}.jsonl").write_text(talk)
    natural = ("annotate", "sheet", "dstc9:dstc9", "--natural")
    _done(staytrue, *natural, "--out", "sheet-talk.csv")
    answers = {"appropriate": "yes", "relevant": "yes", "seconds": "3"}
    for sheet, ending, asked in (
        ("sheet.csv", "", "contradictory"),
        ("sheet-talk.csv", "-talk", "inconsistent"),
    ):
        for skip, name in enumerate(("ann", "bob", "cid")):
            rows = [
                row
                | {k: v for k, v in answers.items() if k in row}
                | {asked: "no" if (index + skip) % 3 else "yes"}
                for index, row in enumerate(_sheet(folder / sheet))
            ]
            _write_table(folder / f"{name}{ending}.csv", rows)


def _q2(folder: Path, staytrue: Command) -> None:
    pairs = zip(_grounded(6)[::2], _grounded(6)[1::2], strict=True)
    rows = [
        {"episode_idx": "0", "round": str(number), "topic": "Tea", "message": true["message"],
         "dodeca_response": true["response"], "memnet_response": false["response"],
         "knowledge": true["knowledge"], "gold": true["response"],
         "dodeca_label": "0", "memnet_label": "1"}
        for number, (true, false) in enumerate(pairs)
    ]  # fmt: skip
    _write_table(folder / "cross_annotation.csv", rows)


def _probes(folder: Path, staytrue: Command) -> None:
    talk = {
        "id": "talk", "response": "", "persona": ["i have two dogs.", "i work as a nurse."],
        "history": [
            {"speaker": "user", "text": "Any plans?"},
            {"speaker": "bot", "text": "I will bake a cake tonight."},
        ],
    }  # fmt: skip
    (folder / "dialogues.jsonl").write_text(json.dumps(talk))
    shutil.copy(EXAMPLES / "probes.jsonl", folder / "answers.jsonl")


_PREPARED: dict[str, Callable[[Path, Command], None]] = {
    "README.md": _some_answers("dialogues.jsonl", 20),
    "begin.md": _begin,
    "bridges.md": _bridges,
    "cluster.md": _cluster,
    "interrogate.md": _interrogate,
    "llm.md": _some_answers("answers.jsonl", 6),
    "probes.md": _probes,
    "pytest-and-guard.md": _some_answers("cases.jsonl", 1),
    "q2.md": _q2,
    "staytrue-models-large/README.md": _some_answers("answers.jsonl", 2),
}
