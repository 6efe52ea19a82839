"""`staytrue probes` and `staytrue probe` as a user runs them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from staytrue import cli
from staytrue.core.usage import Usage
from staytrue.runs.runner import read_inputs

Said = Callable[..., "Result"]
SPOKEN = ("hi", "hello , i live in ohio .", "nice", "do you sing ?", "no", "ok", "so", "bye")
TALKS = [
    {
        "id": "t1",
        "persona": ["i have two dogs .", "i am a nurse .", "i don't smoke ."],
        "history": [
            {"speaker": ("user", "bot")[n % 2], "text": text} for n, text in enumerate(SPOKEN)
        ],
        "response": "",
    }
]
BOT = """
import pathlib
CALLS = pathlib.Path(__file__).with_name("calls.txt")

def reply(history, persona):
    with CALLS.open("a") as file:
        file.write(history[-1].text + "\\n")
    if "nurse" in history[-1].text and not pathlib.Path(__file__).with_name("well").exists():
        raise RuntimeError("out of order")
    return "yes"
"""


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def staytrue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Said:
    """Run the command in this process: models and pipeline load once for all tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    def run(*arguments: object) -> Result:
        monkeypatch.setattr("sys.argv", ["staytrue", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            cli.main()
        written = capsys.readouterr()
        return Result(int(stop.value.code or 0), written.out, written.err)

    return run


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def placed(tmp_path: Path, staytrue: Said) -> Path:
    (tmp_path / "talks.jsonl").write_text("\n".join(json.dumps(talk) for talk in TALKS) + "\n")
    built = staytrue("probes", "build", "talks.jsonl", "--out", "p.jsonl", "--kinds", "yn")
    assert built.returncode == 0, built.stderr
    placed = staytrue("probes", "place", "p.jsonl", "--memory", 3, "--distance", "0,2")
    assert placed.returncode == 0, placed.stderr
    return tmp_path / "p.placed.jsonl"


def test_built_probes_have_every_field_and_drops_their_reasons(
    tmp_path: Path, staytrue: Said
) -> None:
    (tmp_path / "talks.jsonl").write_text(json.dumps(TALKS[0]) + "\n")
    staytrue("probes", "build", "talks.jsonl", "--out", "p.jsonl", "--dropped", "d.jsonl",
             "--kinds", "yn")  # fmt: skip
    probes = [row["probe"] for row in lines(tmp_path / "p.jsonl")]
    assert {"question": "do you have four dogs?", "truth": "no", "fact": "i have two dogs .",
            "kind": "yn", "source": "persona"} in probes  # fmt: skip
    told = next(p for p in probes if p["question"] == "do you live in ohio?")
    assert (told["source"], told["turn"]) == ("history", 0)
    assert all(row["reason"] for row in lines(tmp_path / "d.jsonl"))


def test_placed_probes_are_asked_and_judged_and_the_run_resumes(
    tmp_path: Path, staytrue: Said, placed: Path
) -> None:
    (tmp_path / "mybot.py").write_text(BOT)
    command = (
        "probe", "--bot", "python:mybot:reply", "--probes", placed.name, "--out", "run",
        "--metric", "hybrid,nli=off", "--backend", "scripted", "--retries", 0, "--concurrency", 1,
    )  # fmt: skip
    first = staytrue(*command)
    assert first.returncode == 1, first.stderr  # the bot fails on one question
    assert "\nNext: staytrue report run " in first.stdout
    assert staytrue("report", "run").returncode == 0
    verdicts = lines(tmp_path / "run" / "verdicts.jsonl")
    failures = lines(tmp_path / "run" / "errors.jsonl")
    samples = lines(placed)
    assert len(verdicts) + len(failures) == len(samples)
    assert all("did not reply" in failure["error"] for failure in failures)
    truths = {s["id"]: s["probe"]["truth"] for s in samples}
    assert all(v["score"] == float(truths[v["example_id"]] == "yes") for v in verdicts)

    asked = (tmp_path / "calls.txt").read_text().count("\n")
    again = staytrue(*command)
    assert (tmp_path / "calls.txt").read_text().count("\n") == asked, again.stderr

    (tmp_path / "well").touch()
    retried = staytrue(*command, "--retry-errors")
    assert retried.returncode == 0, retried.stderr
    assert lines(tmp_path / "run" / "errors.jsonl") == []
    assert len(lines(tmp_path / "run" / "verdicts.jsonl")) == len(samples)
    assert (tmp_path / "calls.txt").read_text().count("\n") == asked + len(failures)

    other = staytrue(*command[:2], "agreeable:", *command[3:])
    assert other.returncode == 2
    assert "another --out" in other.stderr


def test_a_probe_that_was_fixed_is_asked_when_the_command_is_rerun(
    tmp_path: Path, staytrue: Said, placed: Path
) -> None:
    command = ("probe", "--bot", "agreeable:", "--probes", placed.name, "--out", "run",
               "--metric", "hybrid,nli=off", "--backend", "scripted")  # fmt: skip
    whole = placed.read_text()
    placed.write_text(whole.rstrip("}\n"))
    assert "Fix the rows and rerun the same command." in staytrue(*command).stderr
    placed.write_text(whole)
    assert staytrue(*command).returncode == 0
    assert len(lines(tmp_path / "run" / "verdicts.jsonl")) == len(lines(placed))


class Paid:
    """Stands in for a bot behind a paid endpoint, which no test can reach."""

    def __init__(self) -> None:
        self.usage = Usage(price_in=1.0)

    def reply(self, history: object, *, persona: object = (), seed: int = 0) -> str:
        self.usage.add(requests=1, tokens_in=10, tokens_out=2)
        return "yes"


def test_what_a_bot_used_stands_in_the_manifest(
    tmp_path: Path, staytrue: Said, placed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("staytrue.plugins.registry.load_chatbot", lambda spec: Paid())
    made = staytrue("probe", "--bot", "paid:", "--probes", placed.name, "--out", "run",
                    "--metric", "hybrid,nli=off", "--backend", "scripted")  # fmt: skip
    assert made.returncode == 0, made.stderr
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    used = manifest["usage"]["paid:"]
    assert used["requests"] == len(lines(placed))
    assert used["tokens_in"] == 10 * used["requests"]


DYING_BOT = """
import os, pathlib, signal, time
def reply(history, persona, seed):
    with open("calls.txt", "a") as calls:
        calls.write("x")
    count = len(pathlib.Path("calls.txt").read_text())
    if count == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(1.1 if count < 4 else 0)
    return "yes"
"""


@pytest.mark.slow
def test_answers_given_before_a_kill_are_not_asked_for_again(tmp_path: Path, placed: Path) -> None:
    (tmp_path / "dying.py").write_text(DYING_BOT)
    command = [
        sys.executable, "-m", "staytrue", "probe", "--bot", "python:dying:reply", "--probes",
        placed.name, "--out", "run", "--metric", "hybrid,nli=off", "--backend", "scripted",
        "--concurrency", "1",
    ]  # fmt: skip
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == -signal.SIGKILL
    kept = len(lines(tmp_path / "run" / "examples.jsonl"))
    assert kept > 0
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    samples = len(lines(placed))
    assert len(lines(tmp_path / "run" / "verdicts.jsonl")) == samples
    assert len((tmp_path / "calls.txt").read_text()) == 4 + samples - kept


def test_tables_and_pictures_come_from_run_folders(
    tmp_path: Path, staytrue: Said, placed: Path
) -> None:
    for name, bot in (("a", "agreeable:"), ("b", "scripted:no|no")):
        made = staytrue("probe", "--bot", bot, "--probes", placed.name, "--out", name,
                        "--metric", "hybrid,nli=off", "--backend", "scripted")  # fmt: skip
        assert made.returncode == 0, made.stderr
    metric = ("--metric", "hybrid,nli=off")
    for analysis in ("scores", "errors", "bots"):
        shown = staytrue("probes", analysis, "a", "b", *metric, "--plot", f"{analysis}.svg")
        assert shown.returncode == 0, shown.stderr
        assert "agreeable:" in shown.stdout
        assert (tmp_path / f"{analysis}.svg").read_text().startswith("<svg")
    assert "wrong short answers" in staytrue("probes", "errors", "a", *metric).stdout
    assert "persona Y/N, distance 2" in (tmp_path / "scores.svg").read_text()


def test_two_runs_of_one_bot_are_both_shown(tmp_path: Path, staytrue: Said, placed: Path) -> None:
    for name in ("a", "b"):
        staytrue("probe", "--bot", "agreeable:", "--probes", placed.name, "--out", name,
                 "--metric", "hybrid,nli=off", "--backend", "scripted", "--quiet")  # fmt: skip
    for analysis in ("scores", "errors", "bots"):
        shown = staytrue("probes", analysis, "a", "b", "--metric", "hybrid,nli=off",
                         "--plot", "both.svg")  # fmt: skip
        for name in ("agreeable: in a", "agreeable: in b"):
            assert name in shown.stdout
            assert f">{name}</text>" in (tmp_path / "both.svg").read_text()


def test_every_input_variant_is_asked_by_one_command(
    tmp_path: Path, staytrue: Said, placed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("staytrue.plugins.registry.DEFAULT_BACKEND", "scripted")
    shown = staytrue("probes", "variants", "--bot", "agreeable:", "--probes", placed.name,
                     "--out", "variants", "--plot", "v.svg")  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    for variant in ("fact", "fact-last", "fact-first", "permuted"):
        assert f"agreeable: ({variant})" in shown.stdout
        rows = lines(tmp_path / "variants" / variant / "examples.jsonl")
        assert len(rows) == len(lines(placed))
        assert all(row["tags"]["variant"] == variant for row in rows)
    assert (tmp_path / "v.svg").is_file()


def test_probes_are_read_and_the_bot_is_loaded_once_for_all_variants(
    tmp_path: Path, staytrue: Said, placed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, read = [], []

    def load(spec: str) -> Paid:
        loaded.append(spec)
        return Paid()

    def reading(inputs: list[str], *more: Any) -> Any:
        read.extend(inputs)
        return read_inputs(inputs, *more)

    monkeypatch.setattr("staytrue.plugins.registry.load_chatbot", load)
    monkeypatch.setattr("staytrue.runs.runner.read_inputs", reading)
    made = staytrue("probes", "variants", "--bot", "paid:", "--probes", placed.name, "--out",
                    "variants", "--backend", "scripted")  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert (loaded, read) == (["paid:"], [placed.name])
    for folder in (tmp_path / "variants").iterdir():
        used = json.loads((folder / "manifest.json").read_text())["usage"]["paid:"]
        assert used["requests"] == len(lines(placed))
        assert used["cost"] == 10 * used["requests"] / 1e6


def test_a_bot_that_fails_once_is_still_asked_every_variant(
    tmp_path: Path, staytrue: Said, placed: Path
) -> None:
    (tmp_path / "moody.py").write_text(BOT)
    command = (
        "probes", "variants", "--bot", "python:moody:reply", "--probes", placed.name,
        "--out", "variants", "--backend", "scripted", "--seed", 3,
        "--retries", 0,
    )  # fmt: skip
    first = staytrue(*command)
    assert first.returncode == 1
    assert "moody:reply (permuted)" in first.stdout
    folders = [tmp_path / "variants" / name for name in ("standard", "fact", "permuted")]
    assert all(lines(folder / "errors.jsonl") for folder in folders)
    manifest = json.loads((folders[0] / "manifest.json").read_text())
    assert manifest["seed"] == 3

    (tmp_path / "well").touch()
    assert staytrue(*command, "--retry-errors").returncode == 0
    for folder in folders:
        assert len(lines(folder / "verdicts.jsonl")) == len(lines(placed))


def test_a_bot_that_never_answers_leaves_errors_and_no_table(
    tmp_path: Path, staytrue: Said, placed: Path
) -> None:
    (tmp_path / "mute.py").write_text("def reply(history, persona):\n    raise OSError('gone')\n")
    shown = staytrue("probes", "variants", "--bot", "python:mute:reply", "--probes", placed.name,
                     "--out", "mute", "--backend", "scripted", "--retries", 0)  # fmt: skip
    assert shown.returncode == 1
    assert shown.stderr.count("all are in") == 5
    assert "The chatbot did not reply: OSError: gone" in shown.stderr
    assert "Traceback" not in shown.stderr


def test_released_questions_are_placed_as_asked(tmp_path: Path, staytrue: Said) -> None:
    persona = {"i am a nurse .": [{"q": "are you a nurse?", "a": "yes", "type": "yn"}]}
    talk = {"0": {"persona": ["i am a nurse ."], "utterances": list(SPOKEN)}}
    for name, content in (("persona_qas", persona), ("history_qas", {}), ("valid", talk)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    shown = staytrue("probes", "place", "consistest:.", "--memory", 1, "--distance", 0, "--out",
                     "near.jsonl")  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    assert [row["probe"]["distance"] for row in lines(tmp_path / "near.jsonl")] == [0]

    assert staytrue("probes", "place", "consistest:.").returncode == 0
    beside = tmp_path.with_name(f"{tmp_path.name}.placed.jsonl")
    assert [row["probe"]["distance"] for row in lines(beside)] == [0, 2]


def test_placed_probes_are_not_placed_again(tmp_path: Path, staytrue: Said, placed: Path) -> None:
    before = placed.read_bytes()
    result = staytrue("probes", "place", placed.name, "--out", placed.name)
    assert result.returncode == 2
    assert "already ends with its question" in result.stderr
    assert placed.read_bytes() == before


def test_a_dry_run_estimates_and_writes_nothing(
    tmp_path: Path, staytrue: Said, placed: Path
) -> None:
    shown = staytrue("probe", "--bot", "agreeable:", "--probes", placed.name, "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert "probes to ask" in shown.stdout
    assert "seconds" in shown.stdout
    assert not (tmp_path / "run").exists()


def test_mistakes_are_one_sentence(tmp_path: Path, staytrue: Said, placed: Path) -> None:
    for arguments, part in (
        (("probe", "--bot", "agreeable:", "--probes", "p.jsonl", "--out", "r"), "probes place"),
        (("probe", "--bot", "agreeable:", "--probes", placed.name), "--out"),
        (("probes", "place", "p.jsonl", "--distance", "near"), "whole numbers"),
        (("probes", "place", "p.jsonl", "--distance", "5"), "longer memory"),
        (("probes", "build", "nowhere.jsonl", "--out", "x"), "no file"),
        (("probes", "scores", "nowhere"), "run folder"),
    ):
        result = staytrue(*arguments)
        assert result.returncode == 2, (arguments, result.stderr)
        assert part in result.stderr
        assert "Traceback" not in result.stderr
    assert not (tmp_path / "r").exists()
