"""`staytrue init` writes files that work as they are."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from tests.conftest import REPOSITORY, Command

from staytrue.cli.init import FILES, command


def test_it_writes_an_example_a_test_and_a_workflow(staytrue: Command, tmp_path: Path) -> None:
    result = staytrue("init", "shop")
    assert result.returncode == 0, result.stderr
    for file in FILES.values():
        assert (tmp_path / "shop" / file).is_file()
    assert "staytrue score shop/tests/answers/answers.jsonl" in result.stdout


@pytest.mark.parametrize("installed", [True, False])
def test_it_says_how_to_get_pytest_where_there_is_none(
    installed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not installed:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    output = CliRunner().invoke(command, [str(tmp_path)], catch_exceptions=False).output
    assert ("pip install pytest" in output) is not installed
    assert output.endswith(f"  pytest {tmp_path / 'tests' / 'answers'}\n")


def test_the_workflow_installs_what_it_runs(tmp_path: Path) -> None:
    workflow = yaml.safe_load((REPOSITORY / "examples" / "ci" / "staytrue.yml").read_text("utf-8"))
    steps = [step.get("run", "") for step in workflow["jobs"]["answers"]["steps"]]
    (install,) = [step for step in steps if step.startswith("pip install")]
    used = next(n for n, step in enumerate(steps) if "pytest tests/answers" in step)
    assert {'"$STAYTRUE_SOURCE"', "pytest"} <= set(install.split())
    assert steps.index(install) < used


def test_the_workflow_says_in_one_place_what_staytrue_is_installed_from() -> None:
    text = (REPOSITORY / "examples" / "ci" / "staytrue.yml").read_text("utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["env"] == {"STAYTRUE_SOURCE": "./staytrue"}
    assert text.count("./staytrue") == text.count("$STAYTRUE_SOURCE") == 1
    checkout = workflow["jobs"]["answers"]["steps"][0]
    assert checkout["with"] == {"submodules": True}


def test_a_failing_answer_on_main_still_becomes_the_baseline() -> None:
    workflow = yaml.safe_load((REPOSITORY / "examples" / "ci" / "staytrue.yml").read_text("utf-8"))
    *_, kept, saved = workflow["jobs"]["answers"]["steps"]
    for step in (kept, saved):  # without a status function, success() is implied
        assert "!cancelled()" in step["if"]
    assert f"steps.{kept['id']}.outcome == 'success'" in saved["if"]
    assert saved["uses"].startswith("actions/cache/save")


def test_it_overwrites_nothing_unless_told(staytrue: Command, tmp_path: Path) -> None:
    staytrue("init")
    file = tmp_path / FILES["answers.jsonl"]
    file.write_text("mine")
    result = staytrue("init")
    assert result.returncode == 2
    assert "--force" in result.stderr
    assert file.read_text() == "mine"
    assert staytrue("init", "--force").returncode == 0
    assert file.read_text() != "mine"


def test_the_workflow_is_the_one_of_the_examples(staytrue: Command, tmp_path: Path) -> None:
    staytrue("init")
    written = (tmp_path / FILES["workflow.yml"]).read_text("utf-8")
    assert written == (REPOSITORY / "examples" / "ci" / "staytrue.yml").read_text("utf-8")


@pytest.mark.slow
def test_the_test_it_writes_passes(staytrue: Command, tmp_path: Path) -> None:
    staytrue("init")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/answers"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout
