"""A run stored as Parquet is the same run: to readers, to a second sitting, and after a kill."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from staytrue.cli import app
from staytrue.core.errors import RunError
from staytrue.core.records import Evidence, EvidenceKind, Example, Passage, Probe, Turn, Verdict
from staytrue.runs import parquet
from staytrue.runs.folder import Run
from staytrue.runs.writer import RunWriter

pytest.importorskip("pyarrow")
EXAMPLES = str(Path(__file__).parents[2] / "examples" / "grounded.jsonl")


def score(run: Path, *more: str) -> None:
    result = CliRunner().invoke(
        app, ["score", EXAMPLES, "--metric", "overlap", "--out", str(run), "--quiet", *more]
    )
    assert result.exit_code == 0, result.output


def content(run: Path) -> tuple[list[Example], list[Verdict]]:
    stored = Run(run)
    return list(stored.examples()), list(stored.verdicts())


def printed(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    score(plain)
    score(packed, "--format", "parquet")
    return plain, packed


def test_a_finished_run_has_parquet_in_place_of_jsonl(runs: tuple[Path, Path]) -> None:
    plain, packed = runs
    assert not list(packed.glob("verdicts*.jsonl"))
    assert not list(packed.glob("examples*.jsonl"))
    assert content(packed) == content(plain)


def test_the_columns_are_the_keys_of_jsonl(runs: tuple[Path, Path]) -> None:
    import pyarrow.dataset as arrow

    plain, packed = runs
    lines = (plain / "verdicts.jsonl").read_text("utf-8").splitlines()
    rows = arrow.dataset(packed / "verdicts").to_table().to_pylist()
    assert [row | {"evidence": json.loads(row["evidence"])} for row in rows] == [
        json.loads(line) for line in lines
    ]


def test_agree_report_compare_and_merge_see_no_difference(runs: tuple[Path, Path]) -> None:
    plain, packed = runs
    assert printed("agree", packed, "--json") == printed("agree", plain, "--json")
    tables = [run / "table.csv" for run in runs]
    for run, table in zip(runs, tables, strict=True):
        printed("report", run, "--csv", table)
        assert (run / "report.html").stat().st_size > 10_000
    assert tables[0].read_text("utf-8") == tables[1].read_text("utf-8")
    compared = json.loads(printed("compare", plain, packed, "--json"))["overlap"]
    assert compared["n_a"] == compared["n_b"] == len(content(plain)[1]) > 0
    assert compared["mean_a"] == compared["mean_b"] > 0
    assert compared["deviation"] == compared["unscored"] == compared["left_out"] == 0
    both = plain.parent / "both"
    printed("merge", plain, packed, "--out", both, "--format", "parquet")
    assert content(both) == content(plain)
    assert (both / "verdicts" / "0000").is_dir()


def test_a_second_sitting_judges_nothing_twice_and_adds_a_part(runs: tuple[Path, Path]) -> None:
    plain, packed = runs
    score(packed, "--format", "parquet")
    assert content(packed) == content(plain)
    score(packed, "--metric", "bleu", "--format", "parquet")
    score(plain, "--metric", "bleu")
    assert sorted(p.name for p in (packed / "verdicts").iterdir()) == ["0000", "0001"]
    assert content(packed) == content(plain)
    assert Run(packed).manifest["counts"] == Run(plain).manifest["counts"]


def test_a_sitting_in_jsonl_goes_on_with_a_run_in_parquet(runs: tuple[Path, Path]) -> None:
    plain, packed = runs
    score(packed, "--metric", "bleu")
    score(plain, "--metric", "bleu")
    assert (packed / "verdicts.jsonl").stat().st_size
    assert content(packed) == content(plain)


def renamed_only(run: Path) -> None:
    (run / "verdicts.jsonl").rename(run / "verdicts.0000.jsonl")


def half_written(run: Path) -> None:
    renamed_only(run)
    (run / "verdicts" / ".0000.writing").mkdir(parents=True)
    (run / "verdicts" / ".0000.writing" / "00000.parquet").write_bytes(b"PAR1")


def not_removed(run: Path) -> None:
    log = (run / "verdicts.jsonl").read_bytes()
    parquet.pack(run)
    (run / "verdicts.0000.jsonl").write_bytes(log)


@pytest.mark.parametrize("killed", [renamed_only, half_written, not_removed])
def test_a_kill_while_packing_loses_and_doubles_nothing(
    tmp_path: Path, killed: Callable[[Path], None]
) -> None:
    run = tmp_path / "run"
    score(run)
    before = content(run)
    killed(run)
    assert content(run) == before
    score(run, "--format", "parquet")
    assert content(run) == before
    assert [p.name for p in run.glob("verdicts*")] == ["verdicts"]
    assert [p.name for p in (run / "verdicts").iterdir()] == ["0000"]


@pytest.mark.parametrize(
    "odd", [Example("half \ud800", "r"), Example("a", "r", rating=4)], ids=["surrogate", "whole"]
)
def test_what_parquet_cannot_hold_stays_jsonl(tmp_path: Path, odd: Example) -> None:
    run, judged = tmp_path / "run", Verdict("other", "m", 0.5)
    with RunWriter(run, {"m": "m|x:1"}, as_parquet=True) as writer:
        writer.add([odd], [judged])
    assert [p.name for p in run.glob("*s.*.jsonl")] == ["examples.0000.jsonl"]
    assert content(run) == ([odd], [judged])
    with RunWriter(run, {"m": "m|x:1"}, as_parquet=True) as writer:
        assert not writer.holds_other(odd)


@pytest.mark.parametrize("renamed", [False, True])
@pytest.mark.parametrize("read", [0, 1, 21])
def test_a_run_packed_while_it_is_read_gives_every_row_once(
    runs: tuple[Path, Path], read: int, renamed: bool
) -> None:
    plain, packed = runs
    for run in runs:
        score(run, "--metric", "bleu")
    if renamed:
        (packed / "verdicts.jsonl").rename(packed / "verdicts.0001.jsonl")
    verdicts = Run(packed).verdicts()
    first = [next(verdicts) for _ in range(read)]
    parquet.pack(packed)
    assert [*first, *verdicts] == list(Run(plain).verdicts())
    assert sorted(p.name for p in (packed / "verdicts").iterdir()) == ["0000", "0001"]


def test_jsonl_is_removed_when_the_folders_are_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    score(run)
    synced: set[int] = set()
    removed: list[str] = []
    sync, unlink = os.fsync, Path.unlink

    def noted_sync(file: int) -> None:
        synced.add(os.fstat(file).st_ino)
        sync(file)

    def checked_unlink(path: Path, missing_ok: bool = False) -> None:
        if path.name == "verdicts.0000.jsonl":
            needed = [run, run / "verdicts", *(run / "verdicts").rglob("*")]
            assert {one.stat().st_ino for one in needed} <= synced
            removed.append(path.name)
        unlink(path, missing_ok)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(Path, "unlink", checked_unlink)
    parquet.pack(run)
    assert removed == ["verdicts.0000.jsonl"]


def test_large_results_are_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "PART_ROWS", 5)
    run = tmp_path / "run"
    score(run)
    before = content(run)
    parquet.pack(run)
    assert len(list((run / "verdicts" / "0000").iterdir())) == -(-len(before[1]) // 5) > 1
    assert content(run) == before


def test_long_texts_make_shorter_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "PART_CHARACTERS", 1000)
    made = [Example(str(n), "long " * (100 if n < 4 else 1)) for n in range(8)]
    run = tmp_path / "run"
    with RunWriter(run, {"m": "m|x:1"}, as_parquet=True) as writer:
        writer.add(made)
    assert len(list((run / "examples" / "0000").iterdir())) == 3
    assert content(run) == (made, [])


def cut(raw: bytes) -> bytes:
    return raw[:100]


def overwritten(raw: bytes) -> bytes:
    return raw[:4] + b"\xff" * 200 + raw[204:]


@pytest.mark.parametrize("damage", [cut, overwritten])
def test_a_damaged_part_is_told_in_one_sentence(
    runs: tuple[Path, Path], damage: Callable[[bytes], bytes]
) -> None:
    part = runs[1] / "verdicts" / "0000" / "00000.parquet"
    part.write_bytes(damage(part.read_bytes()))
    with pytest.raises(RunError, match=r"00000\.parquet is damaged"):
        content(runs[1])


def test_a_missing_pyarrow_is_told_before_anything_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    result = CliRunner().invoke(
        app, ["score", EXAMPLES, "--metric", "overlap", "--out", str(tmp_path / "run"),
              "--format", "parquet"],
    )  # fmt: skip
    assert "[parquet]'" in str(result.output) + str(result.exception)
    assert not (tmp_path / "run").exists()


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
examples = st.builds(
    Example,
    id=text,
    response=text,
    knowledge=text,
    history=st.lists(st.builds(Turn, text, text), max_size=2).map(tuple),
    persona=st.lists(text, max_size=2).map(tuple),
    probe=st.none() | st.builds(Probe, text, text, text, st.just("wh")),
    consistent=st.none() | st.booleans(),
    label=st.none() | text,
    rating=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    tags=st.dictionaries(text, text, max_size=2),
    passages=st.lists(st.builds(Passage, st.integers(0, 9), st.integers(0, 9)), max_size=2).map(
        tuple
    ),
)
verdicts = st.builds(
    Verdict,
    example_id=text,
    metric=st.just("m"),
    score=st.none() | st.floats(0, 1),
    label=st.none() | text,
    reason=text,
    evidence=st.lists(
        st.builds(
            Evidence, st.sampled_from(EvidenceKind), text, details=st.dictionaries(text, text)
        ),
        max_size=2,
    ).map(tuple),
)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(examples, max_size=5, unique_by=lambda one: one.id),
    st.lists(verdicts, max_size=5, unique_by=lambda one: one.example_id),
)
def test_records_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, made: list[Example], judged: list[Verdict]
) -> None:
    run = tmp_path_factory.mktemp("run") / "run"
    with RunWriter(run, {"m": "m|x:1"}, as_parquet=True) as writer:
        writer.add(made, judged)
    assert not list(run.glob("verdicts*.jsonl")) or not judged
    assert content(run) == (made, judged)
    with RunWriter(run, {"m": "m|x:1"}) as writer:
        assert not any(writer.holds_other(example) for example in made)
