"""`staytrue init` writes files that work as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import REPOSITORY, Command

from staytrue.cli.init import FILES


def test_it_writes_an_example_a_test_and_a_workflow(staytrue: Command, tmp_path: Path) -> None:
    result = staytrue("init", "shop")
    assert result.returncode == 0, result.stderr
    for place in FILES.values():
        assert (tmp_path / "shop" / place).is_file()
    assert "staytrue score shop/tests/answers/answers.jsonl" in result.stdout


def test_it_overwrites_nothing_unless_told(staytrue: Command, tmp_path: Path) -> None:
    staytrue("init")
    place = tmp_path / FILES["answers.jsonl"]
    place.write_text("mine")
    result = staytrue("init")
    assert result.returncode == 2
    assert "--force" in result.stderr
    assert place.read_text() == "mine"
    assert staytrue("init", "--force").returncode == 0
    assert place.read_text() != "mine"


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
