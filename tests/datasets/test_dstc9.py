from __future__ import annotations

import json
from pathlib import Path

import pytest

from staytrue.core.errors import DataError
from staytrue.core.records import Example, Failure, Turn
from staytrue.datasets.dstc9 import read, talk

CONTEXT = "User: hola\nSystem: hi. i like tea\nand milk\nUser: ok\nSystem: i hate tea\n"


def write(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def test_each_bot_turn_after_the_first_is_judged_by_what_the_bot_said(tmp_path: Path) -> None:
    file = write(tmp_path / "dstc9_chatbot1.jsonl", {"context": CONTEXT, "consistent": 0})
    (example,) = read(str(file))
    assert isinstance(example, Example)
    assert example.response == "i hate tea"
    assert example.knowledge == "hi. i like tea and milk"
    assert example.history[-1] == Turn("user", "ok")
    assert example.consistent is False
    assert example.tags == {"bot": "chatbot1", "dialogue": "0"}


@pytest.mark.parametrize(
    ("value", "judgement"),
    [(1, True), ("0", False), ("N/A", None), (None, None), ([1, 0, 1], True), ([0, "N/A"], False)],
)
def test_judgements_may_be_missing_or_several(
    tmp_path: Path, value: object, judgement: bool | None
) -> None:
    file = write(tmp_path / "b.jsonl", {"context": CONTEXT, "consistent": value})
    (example,) = read(str(file))
    assert isinstance(example, Example)
    assert example.consistent is judgement


def test_a_folder_holds_one_file_a_bot_and_ids_do_not_clash(tmp_path: Path) -> None:
    for name in ("dstc9_a.jsonl", "dstc9_b.jsonl"):
        write(tmp_path / name, {"context": CONTEXT}, {"context": CONTEXT})
    examples = [item for item in read(str(tmp_path)) if isinstance(item, Example)]
    assert [example.tags["bot"] for example in examples] == ["a", "a", "b", "b"]
    assert len({example.id for example in examples}) == 4


def test_a_row_without_talk_is_a_failure_and_an_empty_folder_an_error(tmp_path: Path) -> None:
    file = write(tmp_path / "b.jsonl", {"context": "no speakers here"}, {"context": CONTEXT})
    failure, example = read(str(file))
    assert isinstance(failure, Failure)
    assert isinstance(example, Example)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no JSON file"):
        list(read(str(tmp_path / "empty")))
    with pytest.raises(DataError):
        talk(None)


def test_the_published_files_are_read(published_data: Path) -> None:
    files = sorted((published_data / "dev").glob("dstc9_*.jsonl.gz"))
    if not files:
        pytest.skip("the DSTC9 files are not here")
    items = list(read(str(files[0])))
    assert not any(isinstance(item, Failure) for item in items)
    assert {example.tags["bot"] for example in items if isinstance(example, Example)} == {
        files[0].name.split(".")[0].removeprefix("dstc9_")
    }
