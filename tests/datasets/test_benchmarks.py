"""The published files: small renderings of their shapes, and the real ones where they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from staytrue.core.records import Example, Failure
from staytrue.plugins.registry import load_dataset


def examples(name: str, path: Path) -> list[Example]:
    items = list(load_dataset(name)(str(path)))
    assert not [item for item in items if isinstance(item, Failure)]
    return [item for item in items if isinstance(item, Example)]


def save(path: Path, rows: Any) -> Path:
    path.write_text(json.dumps(rows))
    return path


def test_q2_cross_annotation_labels_are_turned_round(tmp_path: Path) -> None:
    path = tmp_path / "cross_annotation.csv"
    path.write_text(
        "episode_idx,round,topic,message,dodeca_response,memnet_response,knowledge,gold,"
        "dodeca_label,memnet_label\n0,3,Tea,hi,a,b,k,g,1,0\n"
    )
    dodeca, memnet = examples("q2", path)
    assert (dodeca.response, dodeca.consistent) == ("a", False)
    assert (memnet.response, memnet.consistent) == ("b", True)
    assert dodeca.tags["context"] == memnet.tags["context"] == "0-3"
    assert dodeca.tags["gold"] == "g"


def test_q2_response_files_carry_the_label_in_their_name(tmp_path: Path) -> None:
    for name, expected in (("dodeca_inconsistent.csv", False), ("memnet_consistent.csv", True)):
        path = tmp_path / name
        path.write_text("episode_idx,round,topic,response,gold,knowledge\n1,2,Tea,r,g,k\n")
        (example,) = examples("q2", path)
        assert example.consistent is expected
        assert example.tags["system"] == name.split("_")[0]


def test_begin_labels_lose_their_stray_white_space(tmp_path: Path) -> None:
    path = tmp_path / "begin.tsv"
    path.write_text(
        "model\tdata_source\tknowledge\tmessage\tresponse\tbegin_label\n"
        't5\tcmu\tk\tm\tr\t"Fully attributable \r"\n'
    )
    (example,) = examples("begin", path)
    assert (example.label, example.consistent) == ("fully attributable", True)
    assert example.tags["release"] == "2"
    assert example.message == "m"


def test_usr_reads_the_authors_nested_file(tmp_path: Path) -> None:
    response = {"response": "r\n", "model": "Human", "Uses Knowledge": [1, 1, 0]}
    rows = [
        {"context": "a\nb\n", "fact": "f\n", "responses": [response]},
        {"context": "a\n", "fact": "_nofact\n", "responses": [response]},
        {"context": "a\n", "fact": "your persona: i ski.\nyour persona: i sing.\n",
         "responses": [response]},
    ]  # fmt: skip
    fact, none, persona = examples("usr", save(tmp_path / "tc_usr_data.json", rows))
    assert fact.rating == pytest.approx(2 / 3)
    assert [t.speaker for t in fact.history] == ["bot", "user"]
    assert none.knowledge == ""
    assert persona.persona == ("i ski.", "i sing.")


def test_dnli_reads_the_authors_labels(tmp_path: Path) -> None:
    rows = [
        {"label": "positive", "sentence1": "a", "sentence2": "b"},
        {"label": "negative", "sentence1": "a", "sentence2": "c"},
    ]
    yes, no = examples("dnli", save(tmp_path / "dialogue_nli_dev.jsonl", rows))
    assert (yes.label, yes.consistent) == ("entailment", True)
    assert (yes.knowledge, yes.response) == ("a", "b")
    assert (no.label, no.consistent) == ("contradiction", False)


def test_an_unknown_label_is_a_failure(tmp_path: Path) -> None:
    for name, row in (
        ("begin", {"response": "r", "gold label": "maybe"}),
        ("dnli", {"premise": "a", "hypothesis": "b", "label": "maybe"}),
    ):
        (item,) = load_dataset(name)(str(save(tmp_path / f"{name}.json", [row])))
        assert isinstance(item, Failure)


@pytest.mark.parametrize(
    ("name", "file", "n", "consistent"),
    [
        ("q2", "q2_cross_annotation", 556, 317),
        ("q2", "q2_response_level", 307, 156),
        ("begin", "begin_v1_dev", 836, 282),
        ("begin", "begin_v2_dev_cmu", 416, 59),
        ("dnli", "dnli_dev", 3149, 1076),
        ("usr", "usr_topical_chat", 192, 0),
    ],
)
def test_the_published_files_are_read_whole(
    published_data: Path, name: str, file: str, n: int, consistent: int
) -> None:
    rows = examples(name, published_data / "dev" / f"{file}.jsonl.gz")
    assert len(rows) == len({e.id for e in rows}) == n
    assert sum(e.consistent is True for e in rows) == consistent
