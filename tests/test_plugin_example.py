"""The outside plug-in under examples/ installs without a network and works like built-in parts."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import REPOSITORY


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plug-in, built and installed by pip from a copy of its folder."""
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copytree(REPOSITORY / "examples" / "plugin", folder / "source")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
         "--no-build-isolation", "--target", str(folder / "site"), str(folder / "source")],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder / "site"


def run(site: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *sys.path])}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )


def test_each_part_has_its_name_in_one_place() -> None:
    plugin = REPOSITORY / "examples" / "plugin"
    registered = re.findall(r'^([\w-]+) = ".*:\w+"$', (plugin / "pyproject.toml").read_text(), re.M)
    assert registered == ["brevity", "word-match", "parrot", "pipes"]
    for file in (plugin / "staytrue_toys").glob("*.py"):
        assert not [n for n in registered if re.search(rf"[\"']{n}\b", file.read_text())], file


@pytest.mark.slow
def test_its_own_tests_pass(site: Path) -> None:
    tests = REPOSITORY / "examples" / "plugin" / "tests"
    result = run(site, tests, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, ".")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "4 passed" in result.stdout


@pytest.mark.slow
def test_its_parts_are_listed_and_score(site: Path, tmp_path: Path) -> None:
    (tmp_path / "rows.txt").write_text("1 | Tea is green. | Tea is green.\n")
    listed = run(site, tmp_path, "-m", "staytrue", "list", "chatbots").stdout
    assert "parrot" in listed
    assert "options: times=1" in listed
    result = run(site, tmp_path, "-m", "staytrue", "score", "pipes:rows.txt", "--metric",
                 "brevity,words=2", "--metric", "nli", "--backend", "word-match",
                 "--out", "run")  # fmt: skip
    assert result.returncode == 0, result.stderr
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))
    assert "|package:staytrue-toys@0.1.0|" in manifest["signature"]["brevity,words=2"]
    assert "|backend package:staytrue-toys@0.1.0|" in manifest["signature"]["nli"]
    assert "|backend:word-match|" in manifest["signature"]["nli"]
    verdicts = (tmp_path / "run" / "verdicts.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["metric"] for line in verdicts} == {"brevity,words=2", "nli"}
