"""The command line from end to end, through the real command."""

from __future__ import annotations

import gzip
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.conftest import Command

from staytrue.cli.score import _count

ROWS = [
    {"id": "1", "response": "coffee is a plant", "knowledge": "coffee is a drink"},
    {"id": "2", "response": "", "knowledge": "coffee is a drink"},
    {"id": "3", "response": "tea", "knowledge": ""},
]


def save(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_scoring_writes_the_promised_files(staytrue: Command, tmp_path: Path) -> None:
    save(tmp_path / "in.jsonl", ROWS)
    result = staytrue("score", "in.jsonl", "--metric", "overlap", "--out", "run")
    assert result.returncode == 0, result.stderr
    assert "overlap|staytrue:" in result.stdout
    verdicts = lines(tmp_path / "run/verdicts.jsonl")
    assert [v["score"] for v in verdicts] == [0.5, None, None]
    assert verdicts[1]["reason"] == "The response has no words to compare."
    assert len(lines(tmp_path / "run/examples.jsonl")) == 3
    assert lines(tmp_path / "run/errors.jsonl") == []
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    assert manifest["counts"]["metrics"]["overlap"]["abstained"] == 2
    assert {"signature", "seed", "versions", "timings", "settings"} <= set(manifest)


def test_standard_input_may_be_zipped(staytrue: Command, tmp_path: Path) -> None:
    body = gzip.compress("".join(json.dumps(row) + "\n" for row in ROWS).encode())
    result = staytrue("score", "-", "--metric", "overlap", "--out", "run", stdin=body)
    assert result.returncode == 0, result.stderr
    assert len(lines(tmp_path / "run/verdicts.jsonl")) == 3


def test_a_bad_row_is_reported_recorded_and_does_not_stop_the_run(
    staytrue: Command, tmp_path: Path
) -> None:
    path = save(tmp_path / "in.jsonl", ROWS)
    path.write_text("{broken\n" + path.read_text())
    result = staytrue("score", "in.jsonl", "--metric", "overlap", "--out", "run")
    assert result.returncode == 1
    assert "in.jsonl:1: The line is not valid JSON: Expecting property name" in result.stderr
    assert "(character 2)." in result.stderr
    assert [e["where"] for e in lines(tmp_path / "run/errors.jsonl")] == ["in.jsonl:1"]
    assert len(lines(tmp_path / "run/verdicts.jsonl")) == 3
    (overlap,) = (line for line in result.stdout.splitlines() if "│ overlap" in line)
    scored, abstained, errors = (int(cell) for cell in overlap.strip(" │").split("│")[-3:])
    assert (scored, abstained, errors) == (1, 2, 1)  # of four rows
    strict = staytrue("score", "in.jsonl", "--metric", "overlap", "--out", "other", "--strict")
    assert strict.returncode == 2
    assert strict.stderr.startswith("error: in.jsonl:1:")


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], "the input has no examples"),
        ([{"reply": "tea"}], "no row could be read"),
        ([{"response": "tea is green"}] * 3, "The knowledge has no words to compare"),
    ],
)
def test_a_run_that_scores_nothing_is_no_success(
    staytrue: Command, tmp_path: Path, rows: list[dict[str, object]], why: str
) -> None:
    save(tmp_path / "in.jsonl", rows)
    result = staytrue("score", "in.jsonl", "--metric", "overlap", "--out", "run")
    assert result.returncode == 1
    assert "No response has a score by overlap" in result.stderr
    assert why in result.stderr
    assert ("Next: staytrue report" in result.stdout) is ("The knowledge" in why)


def test_a_mistake_that_every_row_has_is_told_once(staytrue: Command, tmp_path: Path) -> None:
    save(tmp_path / "in.jsonl", [{"reply": f"r {n}"} for n in range(30)] + [{"id": "x"}])
    result = staytrue("score", "in.jsonl", "--metric", "overlap", "--out", "run")
    assert result.stderr.count("has no field 'response'") == 2
    assert "in.jsonl:1 and 29 more: " in result.stderr
    assert "31 errors; all are in run/errors.jsonl." in result.stderr


def test_chats_without_knowledge_are_told_where_it_may_be(
    staytrue: Command, tmp_path: Path
) -> None:
    roles = ("system", "user", "assistant")
    messages = [{"role": role, "content": "We open at nine."} for role in roles]
    save(tmp_path / "in.jsonl", [{"messages": messages}])
    result = staytrue("score", "in.jsonl", "--metric", "overlap", "--out", "run")
    assert result.returncode == 1
    assert "--columns knowledge=system" in result.stderr
    options = ("--metric", "overlap", "--out", "other", "--columns", "knowledge=system")
    assert staytrue("score", "in.jsonl", *options).returncode == 0


@pytest.mark.parametrize("quiet", [False, True])
def test_text_that_is_not_english_is_warned_of(
    staytrue: Command, tmp_path: Path, quiet: bool
) -> None:
    german = "Kaffee ist ein Getränk aus gerösteten Bohnen, das wir in der Früh mit Milch trinken."
    english = "Coffee is a drink made from the roasted beans that you grind in the morning."
    rows = [{"id": str(n), "response": german if n == 1 else english} for n in range(5)]
    source = save(tmp_path / "d.jsonl", [{**row, "knowledge": "k"} for row in rows])
    flags = ["--quiet"] if quiet else []
    result = staytrue("score", source, "--metric", "overlap", "--out", tmp_path / "r", *flags)
    assert ("1 of 5 examples do not look like English" in result.stderr) is not quiet
    assert result.returncode == 0


def test_a_row_that_was_fixed_is_judged_when_the_command_is_rerun(
    staytrue: Command, tmp_path: Path
) -> None:
    command = ("score", "in.jsonl", "--metric", "overlap", "--out", "run")
    (tmp_path / "in.jsonl").write_text(json.dumps(ROWS[0]) + "\nnot json\n")
    assert "Fix the rows and rerun the same command." in staytrue(*command).stderr
    save(tmp_path / "in.jsonl", ROWS[:2])
    fixed = staytrue(*command)
    assert (fixed.returncode, fixed.stderr) == (0, "")
    assert lines(tmp_path / "run/errors.jsonl") == []
    assert len(lines(tmp_path / "run/verdicts.jsonl")) == 2


def test_the_same_command_again_changes_nothing(staytrue: Command, tmp_path: Path) -> None:
    path = save(tmp_path / "in.jsonl", ROWS)
    path.write_text(path.read_text() + "{broken\n")
    arguments = ("score", "in.jsonl", "--metric", "overlap", "--out", "run")
    staytrue(*arguments)
    names = ("verdicts.jsonl", "examples.jsonl", "errors.jsonl")
    before = [(tmp_path / "run" / name).read_bytes() for name in names]
    assert staytrue(*arguments).returncode == 1
    assert [(tmp_path / "run" / name).read_bytes() for name in names] == before
    path.write_text(path.read_text().replace("{broken", '{"id": "4", "response": "mended"}'))
    assert staytrue(*arguments).returncode == 0
    assert len(lines(tmp_path / "run/verdicts.jsonl")) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.jsonl", "--metric", "overlap"), "There is no file none.jsonl"),
        ((".", "--metric", "overlap"), ". is a folder: name the files in it."),
        (("done", "--metric", "overlap"), "done is a run folder"),
        (("in.jsonl", "--metric", "contradiction,tau=5"), "Option tau takes a number between"),
        (("in.jsonl", "--metric", "hybrid,certainty=7"), "Option certainty takes a number"),
        (("in.jsonl", "--metric", "q2,top=0"), "Option top takes 1 or more"),
        (("q3:none.csv", "--metric", "overlap"), "datasets are begin"),
        (("in.jsonl", "--metric", "overlapp"), "There is no metric 'overlapp'"),
        (("in.jsonl", "--metric", "overlap,x=1"), "has no option 'x'"),
        (("in.jsonl", "--metric", "overlap", "--columns", "a=b"), "names an unknown field 'a'"),
        (("in.jsonl", "--metric", "overlap", "--shard", "3/2"), "--shard takes K/N"),
        (("in.jsonl", "--metric", "overlap", "--against", "persona"), "is for the metric"),
    ],
)  # fmt: skip
def test_a_users_mistake_is_one_sentence_and_exit_code_2(
    staytrue: Command, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    save(tmp_path / "in.jsonl", ROWS)
    (tmp_path / "done").mkdir()
    (tmp_path / "done" / "manifest.json").write_text("{}")
    result = staytrue("score", *arguments, "--out", "run")
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_run_of_another_seed_is_refused(staytrue: Command, tmp_path: Path) -> None:
    save(tmp_path / "in.jsonl", ROWS)
    staytrue("score", "in.jsonl", "--metric", "overlap", "--out", "run")
    result = staytrue("score", "in.jsonl", "--metric", "overlap", "--out", "run", "--seed", "1")
    assert result.returncode == 2
    assert "was made with seed 0, not 1: choose another --out folder" in result.stderr


def test_a_metric_can_be_added_to_a_run(staytrue: Command, tmp_path: Path) -> None:
    save(tmp_path / "in.jsonl", ROWS)
    staytrue("score", "in.jsonl", "--metric", "overlap", "--out", "run")
    before = lines(tmp_path / "run/verdicts.jsonl")
    result = staytrue("score", "in.jsonl", "--metric", "bleu", "--out", "run")
    assert result.returncode == 0, result.stderr
    assert lines(tmp_path / "run/verdicts.jsonl")[: len(before)] == before
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    assert set(manifest["signature"]) == {"overlap", "bleu"}
    assert {name: count["scored"] for name, count in manifest["counts"]["metrics"].items()} == {
        "overlap": 1, "bleu": 1,
    }  # fmt: skip
    again = staytrue("score", "in.jsonl", "--metric", "overlap", "--out", "run")
    assert again.returncode == 0, again.stderr
    assert len(lines(tmp_path / "run/verdicts.jsonl")) == 2 * len(before)


def test_another_input_into_an_old_run_must_be_asked_for(staytrue: Command, tmp_path: Path) -> None:
    save(tmp_path / "in.jsonl", ROWS)
    save(tmp_path / "more.jsonl", [{"id": "4", "response": "tea", "knowledge": "tea"}])
    staytrue("score", "in.jsonl", "--metric", "overlap", "--out", "run")
    more = ("score", "more.jsonl", "--metric", "overlap", "--out", "run")
    result = staytrue(*more)
    assert result.returncode == 2
    assert "run holds the rows of in.jsonl: choose another --out folder" in result.stderr
    assert len(lines(tmp_path / "run/examples.jsonl")) == 3
    assert staytrue(*more, "--add-input").returncode == 0
    assert len(lines(tmp_path / "run/examples.jsonl")) == 4
    here = tmp_path / "in.jsonl"  # the same file by another name
    assert staytrue("score", here, "--metric", "overlap", "--out", "run").returncode == 0


def test_quiet_prints_nothing(staytrue: Command, tmp_path: Path) -> None:
    save(tmp_path / "in.jsonl", ROWS)
    result = staytrue("score", "in.jsonl", "--metric", "overlap", "--out", "run", "--quiet")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_shards_merge_into_the_whole(staytrue: Command, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"id": str(n), "response": "a b", "knowledge": "b"} for n in range(50)
    ]
    save(tmp_path / "in.jsonl", rows)
    for part in ("1/2", "2/2"):
        out = part.replace("/", "-")
        staytrue("score", "in.jsonl", "--metric", "overlap", "--out", out, "--shard", part)
    staytrue("score", "in.jsonl", "--metric", "overlap", "--out", "whole")
    assert staytrue("merge", "1-2", "2-2", "--out", "merged").returncode == 0
    assert sorted_lines(tmp_path / "merged") == sorted_lines(tmp_path / "whole")


def sorted_lines(run: Path) -> list[str]:
    return sorted((run / "verdicts.jsonl").read_text().splitlines())


def test_hostile_rows_end_somewhere_and_never_reach_the_terminal_raw(
    staytrue: Command, tmp_path: Path
) -> None:
    hostile = [
        "<script>alert(1)</script>", "\x1b[2J\x07", "=HYPERLINK(1)", "x" * 2**20, "", "🙂\u202e",
        "a\x00b", "\ud800",
    ]  # fmt: skip
    rows: list[dict[str, object]] = [
        {"id": f"{n}\x1b[31m", "response": text, "knowledge": text}
        for n, text in enumerate(hostile)
    ]
    path = save(tmp_path / "in.jsonl", [*rows, rows[0], {"response": {"a": 1}}])
    with path.open("ab") as file:
        file.write(b"\xff\xfe\x1b[31m\n[]\n")
    metrics = ("--metric", "overlap", "--metric", "bleu")
    result = staytrue("score", "in.jsonl", *metrics, "--out", "run")
    assert result.returncode == 1
    assert "\x1b" not in result.stdout + result.stderr
    counts = json.loads((tmp_path / "run/manifest.json").read_text())["counts"]
    assert (counts["examples"], counts["unreadable"]) == (9, 3)
    for metric in counts["metrics"].values():
        assert metric["scored"] + metric["abstained"] + metric["failed"] == 9


def big_file(path: Path, n: int) -> Path:
    draw = random.Random(0)
    words = "coffee tea plant drink river tower city music dog planet".split()
    with path.open("w") as file:
        for number in range(n):
            row = {"id": str(number), "response": " ".join(draw.choices(words, k=8)),
                   "knowledge": " ".join(draw.choices(words, k=20))}  # fmt: skip
            file.write(json.dumps(row) + "\n")
    return path


@pytest.mark.slow
def test_a_run_killed_several_times_ends_as_an_undisturbed_one(
    staytrue: Command, tmp_path: Path
) -> None:
    big_file(tmp_path / "in.jsonl", 20_000)
    arguments = ("score", "in.jsonl", "--metric", "overlap", "--out")
    assert staytrue(*arguments, "whole").returncode == 0
    kills = 0
    for _ in range(4):
        process = subprocess.Popen(
            [sys.executable, "-m", "staytrue", *arguments, "killed"], cwd=tmp_path,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        verdicts = tmp_path / "killed/verdicts.jsonl"
        before = verdicts.stat().st_size if verdicts.exists() else 0
        while process.poll() is None:
            if verdicts.exists() and verdicts.stat().st_size > before + 300_000:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
            time.sleep(0.01)
    assert kills >= 2
    assert staytrue(*arguments, "killed").returncode == 0
    for name in ("verdicts.jsonl", "examples.jsonl"):
        whole = sorted((tmp_path / "whole" / name).read_bytes().splitlines())
        assert sorted((tmp_path / "killed" / name).read_bytes().splitlines()) == whole


@pytest.mark.slow
def test_a_full_disk_keeps_what_was_written(staytrue: Command, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    big_file(tmp_path / "in.jsonl", 5_000)
    arguments = ("score", "in.jsonl", "--metric", "overlap", "--out")
    # A limit on the size of files stands in for a disk that is full: writing fails half-way.
    result = subprocess.run(
        [sys.executable, "-m", "staytrue", *arguments, "full"], cwd=tmp_path, text=True,
        capture_output=True, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (200_000, 200_000)),
    )  # fmt: skip
    assert result.returncode == 2
    assert "what was written before is kept" in result.stderr
    assert "Traceback" not in result.stderr
    assert staytrue(*arguments, "full").returncode == 0
    assert staytrue(*arguments, "whole").returncode == 0
    assert sorted_lines(tmp_path / "full") == sorted_lines(tmp_path / "whole")


def peak_memory(folder: Path, source: str, out: str) -> int:
    """Peak resident memory in kilobytes of scoring a file in a process of its own."""
    code = (
        "import resource, sys; from staytrue.cli import app;"
        "app.main(sys.argv[1:], standalone_mode=False);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, "score", source, "--metric", "overlap", "--out", out],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return int(result.stderr.split()[-1])


@pytest.mark.slow
def test_memory_stays_flat_over_a_hundred_thousand_rows(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    big_file(tmp_path / "small.jsonl", 5_000)
    big_file(tmp_path / "big.jsonl", 100_000)
    small = peak_memory(tmp_path, "small.jsonl", "small")
    big = peak_memory(tmp_path, "big.jsonl", "big")
    assert big - small < 32_000  # 16 bytes a key in four sets of keys, and slack


def test_a_file_alone_is_judged_by_the_headline_score_in_a_folder_named_after_it(
    staytrue: Command, tmp_path: Path
) -> None:
    save(tmp_path / "talk.jsonl", [{"id": "1", "response": "Cats fly.", "knowledge": "Cats walk."}])
    result = staytrue("score", "talk.jsonl")
    assert result.returncode == 0, result.stderr
    assert "consistency" in result.stdout
    assert "staytrue report talk-run" in result.stdout
    assert (tmp_path / "talk-run" / "verdicts.jsonl").exists()


def test_against_is_an_option_of_the_headline_score_and_in_its_signature(
    staytrue: Command, tmp_path: Path
) -> None:
    row = {"id": "1", "response": "I own cats.", "persona": ["i own no cats"], "knowledge": "Cats."}
    save(tmp_path / "talk.jsonl", [row])
    result = staytrue("score", "talk.jsonl", "--against", "persona")
    assert "against:persona" in result.stdout
    refused = staytrue("score", "talk.jsonl", "--metric", "overlap", "--against", "persona")
    assert refused.returncode == 2
    assert "--metric consistency" in refused.stderr


def test_rows_of_a_named_benchmark_are_counted_as_those_of_its_file(tmp_path: Path) -> None:
    path = save(tmp_path / "in.jsonl", [{"response": "tea"}] * 3)
    assert _count((f"q2:{path}", str(path))) == 6
    assert _count((f"consistest:{tmp_path}",)) is None  # a folder
    assert _count((str(path), "-")) is None
