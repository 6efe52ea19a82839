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


def repository(folder: Path) -> Path:
    def git(*arguments: str) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True)

    folder.mkdir()
    git("init", "--quiet")
    for number, text in enumerate(['version = "1"\n', 'version = "2"\n', 'version = "2"\n#\n']):
        (folder / "pyproject.toml").write_text("[project]\nname = 'x'\n" + text)
        git("add", ".")
        git("commit", "--quiet", "-m", str(number))
    return folder


def test_the_last_release_is_the_newest_tag_or_the_commit_that_set_the_version(
    tmp_path: Path,
) -> None:
    folder = repository(tmp_path / "repository")
    shown = ["git", "-C", str(folder), "show", "-s", "--format=%s", gate.last_release(folder)]
    assert subprocess.check_output(shown, text=True).strip() == "1"
    subprocess.run(["git", "-C", str(folder), "tag", "v1", "HEAD~2"], check=True)
    assert gate.last_release(folder) == "v1"


def test_a_version_is_checked_out_beside_and_removed_again(tmp_path: Path) -> None:
    folder = repository(tmp_path / "repository")
    with gate.checked_out("HEAD~2", folder) as checkout:
        assert 'version = "1"' in (checkout / "pyproject.toml").read_text()
        assert list(checkout.rglob("*.egg-info"))
    assert not checkout.exists()
    listed = subprocess.check_output(["git", "-C", str(folder), "worktree", "list"], text=True)
    assert len(listed.splitlines()) == 1
