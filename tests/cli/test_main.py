"""The command `staytrue` as a whole: what goes wrong with files is one sentence."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from staytrue.cli import file_trouble
from staytrue.core.records import Example, Probe, example_to_json
from staytrue.runs.runner import evaluate


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (
            ["probes", "build", "talks.jsonl", "--kinds", "yn", "--out", "no/such/p.jsonl"],
            "no/such",
        ),
        (["report", "run", "--csv", "no/such.csv"], "no/such.csv"),
        (["serve", "--port", "18766", "--data", "a-file"], "a-file"),
        (["probes", "place", "consistest:."], "valid"),
        (["probes", "place", "consistest:nowhere"], "nowhere"),
        (["annotate", "tasks", "run", "--to", "argilla", "--out", "no/such/x"], "no/such"),
    ],
)
def test_a_wrong_path_is_one_sentence_that_names_it(
    staytrue, tmp_path: Path, arguments: list[str], named: str
) -> None:
    talk = {"id": "t", "persona": ["i have two dogs ."], "history": [], "response": ""}
    (tmp_path / "talks.jsonl").write_text(json.dumps(talk))
    (tmp_path / "a-file").touch()
    evaluate([Example("a", "x", "x")], ["overlap"], out=tmp_path / "run")
    done = staytrue(*arguments)
    assert done.returncode == 2
    assert named in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


BOT = ("--bot", "agreeable:", "--backend", "scripted")


@pytest.mark.parametrize(
    "command",
    [
        ("score", "rows.jsonl", "--metric", "overlap"),
        ("interrogate", *BOT, "--dialogues", "1", "--turns", "2"),
        ("probe", *BOT, "--probes", "probes.jsonl", "--metric", "probe-overlap"),
        ("merge", "run"),
    ],
)
def test_an_address_is_no_run_folder(staytrue, tmp_path: Path, command: tuple[str, ...]) -> None:
    row = Example("a", "tea", "tea")
    probe = Probe("do you have a dog ?", "yes", "i have a dog .", "yn", source="persona")
    for name, example in (("rows", row), ("probes", replace(row, response="", probe=probe))):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(example_to_json(example)))
    evaluate([row], ["overlap"], out=tmp_path / "run")
    before = sorted(tmp_path.iterdir())
    done = staytrue(*command, "--out", "s3://bucket/run")
    assert done.returncode == 2
    assert done.stderr == (
        "error: s3://bucket/run is an address, but a run is written to a folder on this machine: "
        "name a local folder, and copy it there when the run is complete.\n"
    )
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(("typed", "meant"), [("scor", "score"), ("intergate", "interrogate")])
def test_a_command_that_is_misspelt_is_answered_with_the_nearest(
    staytrue, typed: str, meant: str
) -> None:
    done = staytrue(typed)
    assert done.returncode == 2
    assert f"No such command '{typed}'. Did you mean '{meant}'?\n" in done.stderr


def test_a_command_like_no_other_is_only_named(staytrue) -> None:
    assert staytrue("bake").stderr.endswith("No such command 'bake'.\n")


@pytest.mark.parametrize("megabytes", [1, 4])
def test_the_longest_line_of_an_input_is_an_option(
    staytrue, tmp_path: Path, megabytes: int
) -> None:
    row = {"id": "long", "response": "tea", "knowledge": "tea " * 2**19}
    (tmp_path / "in.jsonl").write_text(json.dumps(row))
    staytrue("--max-line-mb", megabytes, "score", "in.jsonl", "--metric", "overlap", "--out", "run")
    failures = (tmp_path / "run" / "errors.jsonl").read_text()
    assert ("--max-line-mb" in failures) == (megabytes == 1)


def test_a_full_disk_is_named_as_such() -> None:
    message = file_trouble(OSError(errno.ENOSPC, "No space left on device"))
    assert message == "The disk is full: free some space and run it again."
    assert "at run/x" in file_trouble(OSError(errno.ENOSPC, "No space left on device", "run/x"))


def test_trouble_without_a_file_name_still_says_why() -> None:
    assert "Connection refused" in file_trouble(OSError(errno.ECONNREFUSED, "Connection refused"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_completes_commands(shell: str, tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("staytrue")
    if not script.exists():
        pytest.skip("the command staytrue is not installed beside this Python")
    environment = {**os.environ, "_STAYTRUE_COMPLETE": f"{shell}_source"}
    made = subprocess.check_output([script], env=environment, cwd=tmp_path, text=True)
    assert f"_STAYTRUE_COMPLETE={shell}_complete" in made
