"""The gate finds what is slower, and blames nobody for chance."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from benchmarks import gate
from benchmarks.gate import Ratio, ratio

METRIC = """
import time
class Example:
    def __init__(self, *parts): pass
class Metric:
    def judge(self, rows): [pow(3, {work}) for _ in rows]
def load_metric(name): return Metric()
"""


def version(folder: Path, work: int) -> Path:
    """A stand-in for the package that takes a certain time per row."""
    package = folder / "src" / "staytrue"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(METRIC.replace("{work}", str(work)))
    return folder


@pytest.mark.slow
@pytest.mark.alone
def test_a_version_that_does_twice_the_work_is_slower(tmp_path: Path) -> None:
    before, now = version(tmp_path / "before", 200_000), version(tmp_path / "now", 500_000)
    comparison = gate.compare(before, now, "any", gate.ROWS, rounds=3)
    assert comparison.value > 1.5
    assert ratio([1, 1.1, 0.9], [2.1, 2, 2.2]).is_slower()


def test_chance_and_small_differences_are_no_failure() -> None:
    assert not ratio([1, 2, 1, 2], [2, 1, 2, 1]).is_slower()
    assert not ratio([1, 1, 1], [1.02, 1.021, 1.019]).is_slower()
    assert not ratio([1], [3]).is_slower()


def test_the_ratio_does_not_depend_on_the_machines_speed() -> None:
    speed_ratio = ratio([1, 10, 100], [1.5, 15, 150])
    assert (speed_ratio.value, speed_ratio.low, speed_ratio.high) == pytest.approx((1.5, 1.5, 1.5))
    assert str(Ratio(1.5, 1.4, 1.6)) == "1.500 [1.400, 1.600]"


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.check_output(command, text=True).strip()


def commit(folder: Path, message: str, **files: str) -> None:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message)


def repository(folder: Path) -> Path:
    folder.mkdir()
    git(folder, "init", "--quiet")
    for number, text in enumerate(['version = "1"\n', 'version = "2"\n', 'version = "2"\n#\n']):
        commit(folder, str(number), pyproject_toml="[project]\nname = 'x'\n" + text)
    return folder


def subject_of(folder: Path, reference: str) -> str:
    return git(folder, "show", "-s", "--format=%s", reference)


def test_the_last_release_is_the_newest_tag_or_the_commit_that_set_the_version(
    tmp_path: Path,
) -> None:
    folder = repository(tmp_path / "repository")
    assert subject_of(folder, gate.last_release(folder)) == "1"
    git(folder, "tag", "v1", "HEAD~2")
    assert gate.last_release(folder) == "v1"


def test_while_a_version_is_unreleased_the_last_release_is_what_was_before_its_changes(
    tmp_path: Path,
) -> None:
    folder = repository(tmp_path / "repository")
    commit(folder, "released", CHANGELOG_md="# Changes\n\n## 2\n\n- All.\n")
    commit(folder, "last of 2")
    commit(folder, "first of 3", CHANGELOG_md="# Changes\n\n## Unreleased\n\n- x\n\n## 2\n")
    commit(folder, "version 3", pyproject_toml='[project]\nname = "x"\nversion = "3"\n')
    commit(folder, "later", CHANGELOG_md="# Changes\n\n## 3 (unreleased)\n\n- y\n\n## 2\n")
    assert subject_of(folder, gate.last_release(folder)) == "last of 2"
    commit(folder, "release", CHANGELOG_md="# Changes\n\n## 3\n\n- y\n\n## 2\n")
    assert subject_of(folder, gate.last_release(folder)) == "version 3"


def test_both_versions_are_measured_with_the_small_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAYTRUE_SIZE", "both")
    folder = version(tmp_path / "now", 1)
    package = folder / "src" / "staytrue" / "__init__.py"
    package.write_text(
        f"import os\nassert os.environ['STAYTRUE_SIZE'] == 'small'\n{package.read_text()}"
    )
    assert gate.seconds(folder, "any", gate.ROWS) >= 0


def test_what_only_the_other_version_needs_is_found(tmp_path: Path) -> None:
    info = tmp_path / "src" / "x.egg-info"
    info.mkdir(parents=True)
    (info / "requires.txt").write_text(
        "numpy>=1\nscikit_learn\nno-such-thing==3\n\n[web]\nnor-this\n"
    )
    assert gate.missing(tmp_path) == ["no-such-thing==3"]
    assert gate.missing(tmp_path / "nowhere") == []


def test_a_version_is_checked_out_beside_and_removed_again(tmp_path: Path) -> None:
    folder = repository(tmp_path / "repository")
    with gate.checked_out("HEAD~2", folder) as checkout:
        assert 'version = "1"' in (checkout / "pyproject.toml").read_text()
        assert list(checkout.rglob("*.egg-info"))
    assert not checkout.exists()
    listed = subprocess.check_output(["git", "-C", str(folder), "worktree", "list"], text=True)
    assert len(listed.splitlines()) == 1
