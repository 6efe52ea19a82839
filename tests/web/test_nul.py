"""A NUL character, which PostgreSQL's text cannot hold, in what a run or a person says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.web.test_queues import CONSISTENT, work_through

from staytrue.annotation.begin_rule import QUESTIONS
from staytrue.annotation.begin_sheet import read_sheet, unblinded
from staytrue.annotation.blind_names import blind, stored_key
from staytrue.annotation.inquiry_sheets import INQUIRY_FIELDS
from staytrue.annotation.inquiry_sheets import read_sheet as read_inquiries
from staytrue.core.records import Example, Probe, Turn
from staytrue.runs.runner import evaluate

NUL = Example(
    "a\0b", "i have\0two dogs .", "I have\0two dogs.", (Turn("us\0er", "pets\0?"),), ("i\0am",),
    Probe("how\0many?", "2\0", "two\0", "wh", "persona"),
)  # fmt: skip
# An id may look like whatever stands in the database for one with a NUL.
IDS = ["a\0b", "\0", '"a\\u0000b"', "\x01", '\x01"a"', "a\ufffdb", "é\0😀"]
FULLY = {"topic": 5, "cooperative": 5, "personal": 1, "informs": 5, "contradicts": 1,
         "supported": 5}  # fmt: skip
AIH = {"appropriate": "yes", "relevant": "yes", "contradictory": "no"}


def judged(make_app, database_url: str, tmp_path: Path, examples, kind: str, judgement) -> str:
    """The labels of a queue over the examples, after one person has judged them."""
    evaluate(examples, ["overlap"], out=tmp_path / "odd")
    ann = make_app(database=database_url, runs=(tmp_path / "odd",)).person("ann")
    body = {"name": "odd", "kind": kind, "run": "odd", "order": "file"}
    queue = ann.post("/v1/queues", body, 201)["id"]
    assert len(work_through(ann, queue, judgement)) == len(examples)
    return ann.client.get(f"/v1/queues/{queue}/export").text


@pytest.mark.parametrize(("kind", "judgement"), [
    ("q2", CONSISTENT), ("consistest", {"answers": {"parts": [{"score": 1}]}}),
])  # fmt: skip
def test_examples_come_back_as_they_are_in_the_run(
    make_app, database_url: str, tmp_path: Path, kind: str, judgement
) -> None:
    text = judged(make_app, database_url, tmp_path, [NUL], kind, judgement)
    row = json.loads(text)
    assert (row["id"], row["response"], row["knowledge"]) == (NUL.id, NUL.response, NUL.knowledge)
    assert row["history"] == [{"speaker": "us\0er", "text": "pets\0?"}]


def test_no_two_ids_become_one(make_app, database_url: str, tmp_path: Path) -> None:
    examples = [Example(name, "x", "x") for name in IDS]
    text = judged(make_app, database_url, tmp_path, examples, "q2", CONSISTENT)
    assert [json.loads(line)["id"] for line in text.splitlines()] == IDS


def test_the_sheets_name_the_examples_of_the_run(
    make_app, database_url: str, tmp_path: Path
) -> None:
    sheet = tmp_path / "aih.csv"
    judgement = {"answers": {"parts": [AIH]}}
    text = judged(make_app, database_url, tmp_path, [NUL], "aih", judgement)
    sheet.write_text(text, newline="")
    (inquiry,) = read_inquiries(sheet, INQUIRY_FIELDS)
    assert inquiry.item == blind(NUL.id, stored_key(tmp_path / "odd" / "sheets.key"))


def test_a_begin_sheet_is_read_back(make_app, database_url: str, tmp_path: Path) -> None:
    sheet = tmp_path / "begin.csv"
    judgement = {"answers": {"parts": [FULLY]}}
    text = judged(make_app, database_url, tmp_path, [NUL], "begin", judgement)
    assert set(FULLY) < set(QUESTIONS)
    sheet.write_text(text, newline="")
    (item,) = read_sheet(sheet)
    assert item.answers.informs == 5
    (named,) = unblinded([item], [NUL], {stored_key(tmp_path / "odd" / "sheets.key")})
    assert named.example_id == NUL.id
