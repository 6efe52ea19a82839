"""Is this slower than the last release? `python -m benchmarks.gate [--against REF] [--rounds N]`.

Both versions judge the same rows in processes of their own, in turn, so that whatever else the
machine does meets both. The ratio of their CPU times is printed with an interval, per metric; a
metric that is slower beyond chance and beyond the tolerance makes the command exit with status 1.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from statistics import fmean, stdev

REPOSITORY = Path(__file__).resolve().parent.parent
ROWS = REPOSITORY / "examples" / "grounded.jsonl"
METRICS = ("nli", "begin", "q2", "consistency")
TOLERANCE = 0.05
CHANGELOG = "CHANGELOG.md"
NEEDS = "needs"
# Runs in either version, so it uses what both have: the public names.
_CODE = """
import json, sys, time
import staytrue
metric = staytrue.load_metric(sys.argv[1])
rows = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
make = lambda n, row: staytrue.Example(str(n), row["response"], row["knowledge"])
metric.judge([staytrue.Example("warm", "Tea is a green drink.", "Tea is a drink from China.")])
start = time.process_time()
metric.judge([make(n, row) for n, row in enumerate(rows)])
print(json.dumps([staytrue.__file__, time.process_time() - start]))
"""


@dataclass(frozen=True)
class Ratio:
    """How many times as long as before, with a 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def is_slower(self, tolerance: float = TOLERANCE) -> bool:
        """Whether chance does not explain that it takes longer by more than the tolerance."""
        return self.low > 1 + tolerance


def ratio(before: Sequence[float], now: Sequence[float]) -> Ratio:
    """The geometric mean of the ratios of pairs, with Student's interval of their logarithms."""
    from scipy.stats import t

    logs = [math.log(new / old) for old, new in zip(before, now, strict=True)]
    middle = fmean(logs)
    if len(logs) < 2:
        return Ratio(math.exp(middle), 0.0, math.inf)
    half = float(t.ppf(0.975, len(logs) - 1)) * stdev(logs) / math.sqrt(len(logs))
    return Ratio(math.exp(middle), math.exp(middle - half), math.exp(middle + half))


def last_release(repository: Path = REPOSITORY) -> str:
    """The newest tag; without tags, the last commit before the section of unreleased changes.

    Where the changelog has no such section, the commit that set the version.
    """
    if tag := _git(repository, "describe", "--tags", "--abbrev=0"):
        return tag
    opened = ""
    for commit in _git(repository, "log", "--format=%H", "--", CHANGELOG).split():
        sections = re.findall("(?m)^## .*", _git(repository, "show", f"{commit}:{CHANGELOG}"))
        if not sections or "unreleased" not in sections[0].lower():
            break
        opened = commit
    if before := opened and _git(repository, "rev-parse", "--verify", "--quiet", f"{opened}^"):
        return before
    return _git(repository, "log", "-1", "--format=%H", "-G", "^version = ", "--", "pyproject.toml")


def _git(repository: Path, *arguments: str) -> str:
    """What git prints; nothing where it fails."""
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


@contextmanager
def checked_out(reference: str, repository: Path = REPOSITORY) -> Iterator[Path]:
    """A version in a folder of its own, with the list of its plug-ins and what only it needs."""
    git = ["git", "-C", str(repository), "worktree"]
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / "before"
        subprocess.run([*git, "add", "--quiet", "--detach", str(checkout), reference], check=True)
        try:
            subprocess.run(
                [sys.executable, "-c", "from setuptools import setup; setup()", "-q", "egg_info"],
                cwd=checkout, check=True, capture_output=True,
            )  # fmt: skip
            if lacking := missing(checkout):
                pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
                subprocess.run([*pip, "--target", str(checkout / NEEDS), *lacking], check=True)
            yield checkout
        finally:
            subprocess.run([*git, "remove", "--force", str(checkout)], check=True)


def missing(checkout: Path) -> list[str]:
    """What a version requires, beside its extras, and is not installed here in any version."""
    from packaging.requirements import Requirement

    listed = next(checkout.rglob("*.egg-info/requires.txt"), None)
    required = listed.read_text("utf-8").partition("[")[0].split("\n") if listed else []
    installed = {_plain(one.metadata["Name"]) for one in distributions()}
    return [
        line for line in filter(None, required) if _plain(Requirement(line).name) not in installed
    ]


def _plain(name: str) -> str:
    return re.sub("[-_.]+", "-", name).lower()


def seconds(source: Path, metric: str, rows: Path) -> float:
    """CPU seconds that the version in a folder takes for the rows, its models loaded."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(source / "src"), str(source / NEEDS)]),
        "OMP_NUM_THREADS": "1",
        # The small models, which every version has: the large ones take several times as long.
        "STAYTRUE_SIZE": "small",
    }
    printed = subprocess.check_output(
        [sys.executable, "-c", _CODE, metric, str(rows)], env=environment, text=True
    )
    file, spent = json.loads(printed.splitlines()[-1])
    if not Path(file).is_relative_to(source):
        raise RuntimeError(f"{file} was measured instead of {source}: uninstall staytrue there.")
    return float(spent)


def compare(before: Path, now: Path, metric: str, rows: Path, rounds: int) -> Ratio:
    """Measure both in turn; who goes first changes from round to round."""
    spent: dict[Path, list[float]] = {before: [], now: []}
    for number in range(rounds):
        for source in (before, now) if number % 2 else (now, before):
            spent[source].append(seconds(source, metric, rows))
    return ratio(spent[before], spent[now])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", default="", help="a tag or commit [default: last release]")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--metric", action="append", help="only these metrics")
    options = parser.parse_args()
    reference = options.against or last_release()
    slower = []
    with checked_out(reference) as before:
        print(f"CPU time against {reference[:12]}; below 1 is faster:")
        for metric in options.metric or METRICS:
            change = compare(before, REPOSITORY, metric, ROWS, options.rounds)
            print(f"  {metric}: {change}", flush=True)
            slower += [metric] if change.is_slower() else []
    if slower:
        sys.exit(f"Slower than {reference[:12]} beyond chance: {', '.join(slower)}.")


if __name__ == "__main__":
    main()
