"""ConsisTest's released files, in every rendering."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from staytrue.core.errors import DataError
from staytrue.core.records import Example, Failure
from staytrue.datasets.consistest import read

PERSONA = {
    "i've a dog .": [
        {
            "q": "do you have a dog ?",
            "a": "yes",
            "source": "pers",
            "type": "yn",
            "c": "i have a dog .",
        }
    ]
}
HISTORY = {
    "0": [
        {"c": "yes , in a factory .", "q": "where do you work?", "a": "factory | plant ", "turn": 0,
         "source": "hist_ext", "type": "wh", "dialog": "0", "alt_c": "i work in a factory"}
    ],
    "1": [],
}  # fmt: skip
VALID = {
    "0": {"persona": ["i've a dog ."], "utterances": ["hi", "yes , in a factory .", "ok", "bye"]}
}


def folder_of(tmp_path: Path, *, lines: bool = False, zipped: bool = False) -> Path:
    for name, content in (("persona_qas", PERSONA), ("history_qas", HISTORY), ("valid", VALID)):
        if lines:
            text = "\n".join(json.dumps({key: value}) for key, value in content.items())
        else:
            text = json.dumps(content)
        suffix = (".jsonl" if lines else ".json") + (".gz" if zipped else "")
        data = text.encode()
        (tmp_path / (name + suffix)).write_bytes(gzip.compress(data) if zipped else data)
    return tmp_path


def examples(path: Path) -> list[Example]:
    items = list(read(str(path)))
    assert not [item for item in items if isinstance(item, Failure)]
    return [item for item in items if isinstance(item, Example)]


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("zipped", [False, True])
def test_a_folder_gives_placed_samples(tmp_path: Path, lines: bool, zipped: bool) -> None:
    rows = examples(folder_of(tmp_path, lines=lines, zipped=zipped))
    assert [(e.id, e.probe.kind if e.probe else "") for e in rows] == [
        ("0-0-d0", "yn"), ("0-0-d2", "yn"), ("0-1-d0", "wh"),
    ]  # fmt: skip
    probe = rows[-1].probe
    assert probe is not None
    assert (probe.truth, probe.fact) == ("factory | plant", "i work in a factory")
    assert (probe.source, probe.turn, probe.distance) == ("history_extracted", 0, 0)
    assert rows[-1].message == "where do you work?"


def test_flat_rows_as_json_lines_are_read(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_text("\n".join(json.dumps(row) for rows in HISTORY.values() for row in rows) + "\n")
    (example,) = examples(file)
    assert example.tags == {"dialogue": "0"}
    assert example.probe is not None
    assert example.probe.turn == 0


def test_answers_of_the_released_code_are_read(tmp_path: Path) -> None:
    file = tmp_path / "model_output.csv"
    file.write_text(
        "Question,Response,Reference,NLI_Ref,Source,Type,Distance\n"
        "do you have a dog ?,yes i do,yes,i have a dog .,pers,yn,2\n"
    )
    (example,) = examples(file)
    assert example.response == "yes i do"
    assert example.probe is not None
    assert (example.probe.kind, example.probe.source, example.probe.distance) == (
        "yn",
        "persona",
        2,
    )


def test_a_row_without_a_question_is_a_failure(tmp_path: Path) -> None:
    file = tmp_path / "persona_qas.json"
    file.write_text(json.dumps({"i sing .": [{"a": "yes"}]}))
    (example,) = read(str(file))
    assert isinstance(example, Failure)


def test_a_folder_without_the_files_says_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="persona_qas"):
        list(read(str(tmp_path)))


def test_the_released_files_give_the_released_counts(published_data: Path) -> None:
    rows = examples(published_data / "dev" / "consistest")
    counts = Counter(
        (e.probe.source.partition("_")[0], e.probe.kind) for e in rows if e.probe is not None
    )
    # Table 3 of the paper, but for two more history WH samples that the released files hold.
    assert counts == {
        ("persona", "wh"): 7008, ("persona", "yn"): 8080,
        ("history", "wh"): 2820, ("history", "yn"): 727,
    }  # fmt: skip
    assert sum(e.probe.source == "history_extracted" for e in rows if e.probe) == 1023
    assert len({e.id for e in rows}) == len(rows)
