"""Sheets go out, answers come back, labels and agreement follow."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from staytrue.annotation.begin_results import results
from staytrue.annotation.begin_rule import QUESTIONS, Answers
from staytrue.annotation.begin_sheet import Rated, read_sheet, unblinded, write_sheet
from staytrue.annotation.blind_names import NO_KEY, blind
from staytrue.cli.questionnaire import command
from staytrue.core.errors import DataError, UsageError
from staytrue.core.records import Example, Turn

EXAMPLES = [
    Example("a", "Skis are narrow. I love them!", "A ski is narrow.", (Turn("user", "Hi"),)),
    Example("=b", "I see.", "A ski is narrow."),
]
ENTAILED = {"topic": "5", "personal": "1", "informs": "5", "contradicts": "1", "supported": "5"}
PERSONAL = {"topic": "5", "cooperative": "4", "personal": "5"}
GENERIC = {"topic": "2", "kind": "generic", "cooperative": "3"}
KEY = b"a secret"
GENERIC_ONE = Answers(topic=2, kind="generic")
GROUNDED = Answers(topic=5, personal=1, informs=5, contradicts=1, supported=5)


def fill(path: Path, answers: list[dict[str, str]]) -> Path:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, given in zip(rows, answers, strict=True):
        row.update({QUESTIONS[field]: value for field, value in given.items()})
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def sheet(folder: Path, name: str, answers: list[dict[str, str]]) -> Path:
    path = folder / f"{name}.csv"
    write_sheet(EXAMPLES, path, KEY)
    return fill(path, answers)


def rated(*paths: Path) -> list[Rated]:
    return unblinded((row for path in paths for row in read_sheet(path)), EXAMPLES, {KEY})


def test_a_sheet_has_one_row_a_sentence_and_defuses_formulas(tmp_path):
    path = tmp_path / "sheet.csv"
    assert write_sheet([*EXAMPLES, Example("c", "=1+1")], path, KEY) == 4
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["sentence"] for row in rows] == [
        "Skis are narrow.",
        "I love them!",
        "I see.",
        "'=1+1",
    ]


def test_a_sheet_names_no_id_nor_a_hash_that_can_be_guessed(tmp_path):
    path = tmp_path / "sheet.csv"
    write_sheet([Example("bot-x/1", "Yes.")], path, KEY)
    text = path.read_text("utf-8")
    assert "bot-x" not in text
    assert blind("bot-x/1", NO_KEY) not in text
    assert blind("bot-x/1", KEY) in text


def test_unanswered_rows_are_left_out_and_ids_come_back_with_the_key(tmp_path):
    path = sheet(tmp_path, "anna", [{}, {}, GENERIC])
    (row,) = rated(path)
    assert (row.example_id, row.annotator, row.answers.kind) == ("=b", "anna", "generic")
    with pytest.raises(DataError, match="--key"):
        unblinded(read_sheet(path), EXAMPLES, {b"another"})


def test_a_sheet_of_version_0_1_0_has_ids_and_counts_with_newer_ones(tmp_path):
    old, new = (sheet(tmp_path, name, [ENTAILED, ENTAILED, GENERIC]) for name in ("old", "new"))
    text = old.read_text("utf-8").replace("item,", "id,", 1).replace(blind("a", KEY), "a")
    old.write_text(text.replace(blind("=b", KEY), "'=b"), encoding="utf-8")
    outcome = results(rated(old, new))
    assert [response.example_id for response in outcome.responses] == ["a", "=b"]
    assert all(set(response.votes) == {"old", "new"} for response in outcome.responses)


def test_labels_follow_by_majority_and_the_worst_sentence_decides(tmp_path):
    paths = [
        sheet(tmp_path, "anna", [ENTAILED, PERSONAL, GENERIC]),
        sheet(tmp_path, "ben", [ENTAILED, PERSONAL, GENERIC]),
        sheet(tmp_path, "cleo", [ENTAILED, GENERIC, PERSONAL]),
    ]
    outcome = results(rated(*paths))
    first, second = outcome.responses
    assert first.votes == {"anna": "hallucination", "ben": "hallucination", "cleo": "entailment"}
    assert first.label == "hallucination"
    assert first.sentences == {1: "entailment", 2: "hallucination"}
    assert second.label == "generic"
    assert outcome.human_5way.value == pytest.approx(4 / 6)
    assert outcome.human_3way.value == pytest.approx(5 / 6)
    assert outcome.alphas["topic"].items == 3
    assert outcome.figures["human accuracy, 5 classes"] is outcome.human_5way
    assert outcome.tally == {"hallucination": 1, "generic": 1}
    assert first.to_json()["sentences"] == ["entailment", "hallucination"]
    known = [
        a.value for name, a in outcome.alphas.items() if name != "label" and a.value is not None
    ]
    assert len(known) > 1
    assert outcome.mean_alpha.value == pytest.approx(sum(known) / len(known))


def test_a_wrong_cell_is_reported_with_file_and_line(tmp_path):
    path = sheet(tmp_path, "anna", [ENTAILED, {"topic": "9"}, {}])
    with pytest.raises(DataError, match=r"anna\.csv, line 3: '9'"):
        list(read_sheet(path))


def test_a_sheet_without_its_columns_is_refused(tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("id,text\n1,hello\n")
    with pytest.raises(DataError, match="questionnaire sheet"):
        list(read_sheet(path))


def test_two_sheets_of_one_name_are_not_mixed_up(tmp_path):
    (tmp_path / "ann").mkdir()
    mine = sheet(tmp_path, "sheet", [ENTAILED, PERSONAL, GENERIC])
    hers = sheet(tmp_path / "ann", "sheet", [PERSONAL, PERSONAL, GENERIC])
    with pytest.raises(DataError, match="'sheet' judges an item twice"):
        results(rated(mine, hers))


def test_the_command_makes_a_sheet_and_reads_it_back(tmp_path):
    data = tmp_path / "in.jsonl"
    data.write_text(json.dumps({"id": "x", "response": "It is red.", "knowledge": "Red."}) + "\n")
    path, out = tmp_path / "s.csv", tmp_path / "labels.jsonl"
    made = CliRunner().invoke(command, ["sheet", str(data), "--out", str(path)])
    assert made.exit_code == 0, made.output
    fill(path, [ENTAILED])
    assert (tmp_path / "sheets.key").stat().st_mode & 0o077 == 0
    asked = ["labels", str(path), "--out", str(out), "--json"]
    assert isinstance(CliRunner().invoke(command, asked).exception, UsageError)
    read = CliRunner().invoke(command, [*asked, "--source", str(data)])
    assert read.exit_code == 0, read.output
    line = json.loads(out.read_text())
    assert (line["id"], line["label"]) == ("x", "entailment")
    assert json.loads(read.output)["human accuracy, 5 classes"]["value"] is None
    assert json.loads(read.output)["mean alpha of the questions"]["value"] is None


def test_a_sheet_of_rows_that_cannot_be_read_is_refused_with_the_cause(tmp_path):
    data, path = tmp_path / "in.jsonl", tmp_path / "s.csv"
    data.write_text('{"reply": "It is red."}\n')
    made = CliRunner().invoke(command, ["sheet", str(data), "--out", str(path)])
    assert isinstance(made.exception, DataError)
    assert "nothing to judge" in str(made.exception)
    assert "no field 'response'" in str(made.exception)
    assert not path.exists()
    data.write_text('{"reply": "It is red."}\n{"response": "It is red."}\n')
    made = CliRunner().invoke(command, ["sheet", str(data), "--out", str(path)])
    assert "in.jsonl:1: The row has no field 'response'" in made.output
    assert "1 sentence to judge is in" in made.output


def test_a_sheet_saved_in_another_encoding_says_how_to_save_it(tmp_path):
    path = tmp_path / "ansi.csv"
    path.write_bytes("id,sentence number,sentence\n1,1,caf\xe9\n".encode("latin-1"))
    with pytest.raises(DataError, match="save it again as"):
        list(read_sheet(path))


def test_kappas_come_from_any_pool_of_annotators():
    # Four responses, two labels each, from four people: nobody labelled everything.
    pairs = [("ann", "bob"), ("bob", "cem"), ("cem", "dan"), ("ann", "dan")]
    rows = [
        Rated(f"r{n}", 1, "s", who, GROUNDED if n % 2 else GENERIC_ONE)
        for n, both in enumerate(pairs)
        for who in both
    ]
    outcome = results(rows)
    assert outcome.fleiss.items == 4
    assert set(outcome.cohen) == {"ann and bob", "ann and dan", "bob and cem", "cem and dan"}
