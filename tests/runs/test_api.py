"""What Python programs call: lists, files and data frames in; numbers and frames out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import staytrue
from staytrue.core.errors import DataError, UsageError
from staytrue.metrics import Overlap

KNOWLEDGE = "coffee comes from beans"
ROWS = [
    {"response": "coffee beans", "knowledge": KNOWLEDGE, "consistent": True},
    {"response": "tea leaves", "knowledge": KNOWLEDGE, "consistent": None},
    {"response": "", "knowledge": KNOWLEDGE, "consistent": False},
]


def test_score_gives_a_number_per_response_and_none_for_an_abstention() -> None:
    responses = [row["response"] for row in ROWS]
    first, second, third = staytrue.score(responses, KNOWLEDGE, metric="overlap")
    assert first is not None
    assert first > 0.5
    assert (second, third) == (0.0, None)
    assert staytrue.score(responses, [KNOWLEDGE] * 3, metric="overlap") == [first, 0.0, None]


def test_knowledge_may_be_a_list_of_passages_everywhere() -> None:
    passages = ["coffee is a drink", "tea is a drink"]
    joined = staytrue.Example("1", "tea", "\n".join(passages))
    listed = staytrue.Example("1", "tea", passages)
    assert [(p.start, p.end) for p in listed.passages] == [(0, 17), (18, 32)]
    metric = staytrue.load_metric("overlap")
    assert metric.judge([listed]) == metric.judge([joined])
    assert staytrue.score(["tea"], [passages], metric="overlap") == [
        metric.judge([joined])[0].score
    ]


def test_score_says_what_it_takes() -> None:
    with pytest.raises(UsageError, match="takes a list of responses"):
        staytrue.score("tea", "tea", metric="overlap")
    with pytest.raises(UsageError, match="2 responses and 1 text of knowledge"):
        staytrue.score(["tea", "milk"], ["tea"], metric="overlap")


def test_files_are_scored_into_a_run_that_resumes(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join([*map(json.dumps, ROWS), "{"]) + "\n")
    done: list[int] = []
    scored = staytrue.score_files(file, tmp_path / "run", "overlap", progress=done.append)
    assert (scored.counts["examples"], scored.counts["unreadable"], sum(done)) == (3, 1, 4)
    assert scored.unscored == []
    verdicts = (scored.folder / "verdicts.jsonl").read_bytes()
    again = staytrue.score_files([file], scored.folder, ["overlap"])
    assert again == scored
    assert (scored.folder / "verdicts.jsonl").read_bytes() == verdicts


def test_parts_of_a_file_hold_each_row_once(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(f'{{"id": "{n}", "response": "tea"}}\n' for n in range(20)))
    parts = [staytrue.score_files(file, tmp_path / str(k), "overlap", shard=(k, 2)) for k in (1, 2)]
    assert sum(part.counts["examples"] for part in parts) == 20
    manifest = json.loads((parts[0].folder / "manifest.json").read_text())
    assert manifest["settings"]["shard"] == "1/2"


def test_a_missing_file_is_told_before_a_folder_is_made(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no file"):
        staytrue.score_files(tmp_path / "none.jsonl", tmp_path / "run", "overlap")
    assert not (tmp_path / "run").exists()


def test_read_gives_examples_with_ids_and_refuses_broken_rows(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join([*map(json.dumps, ROWS), "{"]) + "\n")
    with pytest.raises(DataError, match=r"rows\.jsonl:4: .* skip_unreadable=True"):
        staytrue.read(file)
    examples = staytrue.read(file, skip_unreadable=True)
    assert [example.response for example in examples] == [row["response"] for row in ROWS]
    assert all(len(example.id) == 16 for example in examples)


def test_examples_without_ids_get_those_of_a_file_s_rows(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(ROWS[0]) + "\n")
    (from_file,) = staytrue.read(file)
    by_hand = [
        staytrue.Example("", "coffee beans", KNOWLEDGE),
        staytrue.Example("", "x", KNOWLEDGE),
    ]
    ids = [v.example_id for v in staytrue.evaluate(by_hand, "overlap").verdicts]
    assert ids == [from_file.id, f"{from_file.id}#2"]


def test_a_path_in_place_of_examples_is_told_how_to_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"read a file with staytrue\.read"):
        staytrue.evaluate(str(tmp_path / "rows.jsonl"), "overlap")


def test_what_python_says_does_not_name_options_of_the_command_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="or rename the one that holds it") as told:
        staytrue.evaluate([{"reply": "tea"}], "overlap")
    assert "--columns" not in str(told.value)
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({"reply": "tea"}) + "\n")
    with pytest.raises(DataError, match=r'columns=\{"response": NAME\}') as told_of_file:
        staytrue.read(file)
    assert "--columns" not in str(told_of_file.value)


def test_wrong_calls_from_python_are_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({"reply": "tea"}) + "\n")
    mapping: Any
    for mapping in ("response=reply", ["reply"], {"response": 5}):
        with pytest.raises(UsageError, match="columns must map our names to yours"):
            staytrue.read(file, columns=mapping)
        with pytest.raises(UsageError, match="columns must map our names to yours"):
            staytrue.score_files(file, tmp_path / "run", "overlap", columns=mapping)
    with pytest.raises(UsageError, match="columns names an unknown field 'respons'"):
        staytrue.read(file, columns={"respons": "reply"})
    with pytest.raises(DataError, match="no column 'text', which columns=… names"):
        staytrue.read(file, columns={"response": "text"})
    with pytest.raises(UsageError, match=r"No metric is named: name one") as told:
        staytrue.evaluate(ROWS, [])
    assert "--metric" not in str(told.value)
    with pytest.raises(UsageError, match="Example 1 has the type int: pass"):
        staytrue.evaluate([5], "overlap")
    with pytest.raises(UsageError, match="not a list of examples"):
        staytrue.evaluate(5, "overlap")


def test_one_mapping_is_one_row() -> None:
    assert len(staytrue.evaluate(ROWS[0], "overlap").verdicts) == 1
    with pytest.raises(UsageError, match="'response' must be text, not list"):
        staytrue.evaluate({"response": ["tea"], "knowledge": ["tea"]}, "overlap")


def test_frames_of_polars_keep_their_types_where_nothing_is_scored() -> None:
    polars: Any = pytest.importorskip("polars")
    frame = polars.DataFrame({"response": [""], "knowledge": [KNOWLEDGE]})
    judged = staytrue.evaluate(frame, "overlap").frame
    assert judged.schema["overlap"] == polars.Float64
    assert judged.schema["overlap label"] == polars.String
    with pytest.raises(UsageError, match=r"pass frame\.collect"):
        staytrue.evaluate(frame.lazy(), "overlap")


def test_evaluate_judges_by_the_headline_score_unless_told_otherwise() -> None:
    result = staytrue.evaluate(ROWS, backend="scripted")
    assert list(result.signatures) == ["consistency"]


def test_evaluate_takes_mappings() -> None:
    scores = [v.score for v in staytrue.evaluate(ROWS, "overlap").verdicts]
    assert scores == staytrue.score([r["response"] for r in ROWS], KNOWLEDGE, metric="overlap")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_data_frame_comes_back_with_scores(library: str, tmp_path: Path) -> None:
    table: Any = pytest.importorskip(library)
    frame = table.DataFrame([*ROWS, {"response": "x", "knowledge": KNOWLEDGE, "consistent": None}])
    judged = staytrue.evaluate(frame, ["overlap"], out=tmp_path / "run").frame
    assert type(judged) is type(frame)
    rows = judged.to_dicts() if library == "polars" else judged.to_dict("records")
    assert list(rows[0]) == [
        "response", "knowledge", "consistent", "overlap", "overlap label", "overlap reason",
    ]  # fmt: skip
    assert rows[0]["overlap"] > 0.5
    assert "no words" in rows[2]["overlap reason"]
    assert len(frame.columns) == 3, "the caller's frame stays as it was"


def test_a_row_of_a_frame_that_cannot_be_read_is_a_failure() -> None:
    pandas: Any = pytest.importorskip("pandas")
    frame = pandas.DataFrame([{"response": "x", "consistent": "perhaps"}, {"response": "y"}])
    result = staytrue.evaluate(frame, ["overlap"])
    assert [failure.where for failure in result.failures] == ["row 1"]
    assert result.frame["overlap reason"].isna().tolist() == [True, False]


def test_a_row_of_a_frame_that_was_fixed_is_judged_the_next_time(tmp_path: Path) -> None:
    pandas: Any = pytest.importorskip("pandas")
    for consistent, failed in (("perhaps", ["row 1"]), ("yes", [])):
        frame = pandas.DataFrame([{"response": "x", "consistent": consistent}, {"response": "y"}])
        result = staytrue.evaluate(frame, ["overlap"], out=tmp_path / "run")
        assert [failure.where for failure in result.failures] == failed
    assert len(result.verdicts) == 2


def test_a_result_prints_score_interval_and_signature() -> None:
    shown = str(staytrue.evaluate(ROWS, ["overlap"]))
    first, second = shown.splitlines()
    assert first.startswith("overlap: 0.")
    assert "[" in first
    assert first.endswith("(2 scored, 1 abstained, 0 failed)")
    assert second.strip() == staytrue.load_metric("overlap").signature


def test_a_progress_bar_shows_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    staytrue.evaluate(ROWS, ["overlap"], batch_size=1)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    staytrue.evaluate(ROWS, ["overlap"], batch_size=1)
    assert "3/3" in capsys.readouterr().err
    staytrue.evaluate(ROWS, ["overlap"], batch_size=1, progress=False)
    assert capsys.readouterr().err == ""


def test_metric_classes_can_be_imported() -> None:
    import staytrue.metrics as metrics

    for name in metrics.__all__:
        assert getattr(metrics, name).__name__ == name
    assert Overlap().judge([staytrue.Example("1", "tea", "tea")])[0].score == 1.0


@pytest.mark.parametrize("metric", [Overlap(), Overlap])
def test_a_metric_without_a_signature_is_refused_in_one_sentence(metric: Any) -> None:
    refused = "instead of passing Overlap: only metrics that are loaded by name have a signature"
    for call in (
        lambda: staytrue.evaluate(ROWS, [metric]),
        lambda: staytrue.evaluate(ROWS, metric),
        lambda: staytrue.score(["tea"], "tea", metric),
        lambda: staytrue.Guard(metric=metric),
        lambda: staytrue.interrogate(["persona:seed=1"], metric=metric),
    ):
        with pytest.raises(UsageError, match=refused):
            call()


def test_the_version_is_the_package_s() -> None:
    from importlib.metadata import version

    assert staytrue.__version__ == version("staytrue")
