"""Does memory stay flat? `python -m benchmarks.memory [--metric NAME --rows N --engine ray]`.

Scores made-up rows, no two alike, with the real command, and watches all its processes: how much
memory each took at most, and how much more in the last quarter of its time than in the second. A
process beyond `--most` gigabytes makes the command exit with status 1. Every minute it says how far
it is; with `--minutes` the run is stopped in time, and the rows judged until then are what counts.
Reads /proc, so Linux only.

    python -m benchmarks.memory --metric overlap --rows 1000000 --engine ray
    STAYTRUE_SIZE=small python -m benchmarks.memory --metric q2 --rows 20000 --engine ray
"""

from __future__ import annotations

import argparse
import json
import math
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from staytrue.runs.folder import VERDICTS

REPOSITORY = Path(__file__).resolve().parent.parent
ROWS = REPOSITORY / "examples" / "grounded.jsonl"
_MEGABYTE = 2**20
_MINUTE = 60.0


@dataclass
class Process:
    """One process of the command, as far as it was seen."""

    name: str
    peak: int = 0
    """Bytes that were resident at most, as the kernel remembers it."""
    resident: list[int] = field(default_factory=list)
    """Bytes that were resident each time somebody looked."""

    @property
    def growth(self) -> float | None:
        """Bytes more in the last quarter than in the second; the first is for loading."""
        quarter = len(self.resident) // 4
        if quarter == 0:
            return None
        early, late = self.resident[quarter : 2 * quarter], self.resident[-quarter:]
        return statistics.median(late) - statistics.median(early)


def rows(count: int) -> Iterator[dict[str, str]]:
    """Grounded responses, each with a number of its own, so that nothing is remembered."""
    known = [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]
    for number in range(count):
        row = known[number % len(known)]
        yield {
            "id": str(number),
            "knowledge": f"{row['knowledge']} Entry {number} says so.",
            "response": f"{row['response']} That is entry {number}.",
        }


def below(pid: int) -> list[int]:
    """The process itself and all that it has started."""
    parents = {}
    for entry in Path("/proc").iterdir():
        try:
            status = (entry / "stat").read_text()
            parents[int(entry.name)] = int(status.rpartition(")")[2].split()[1])
        except (ValueError, OSError):
            continue
    processes = {pid}
    while new := {child for child, parent in parents.items() if parent in processes} - processes:
        processes |= new
    return sorted(processes)


def look(driver: int, seen: dict[int, Process]) -> None:
    """Note what each process has now."""
    for pid in below(driver):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        except OSError:
            continue  # it has ended meanwhile
        numbers = {
            line.split()[0]: int(line.split()[1]) * 1024 for line in lines if line.endswith(" kB")
        }
        if "VmHWM:" not in numbers:
            continue  # it is ending
        process = seen.setdefault(pid, Process(""))
        # Ray names a worker after what it does, which may change.
        process.name = "driver" if pid == driver else kind_of(words)
        process.peak = max(process.peak, numbers["VmHWM:"])
        process.resident.append(numbers["VmRSS:"])


def kind_of(command_line: str) -> str:
    """What a process below the driver is."""
    if command_line.startswith("ray::"):
        return "worker" if "Judge" in command_line else command_line.split()[0]
    return "Ray itself"


def watched(
    command: list[str],
    seconds: float = 1.0,
    *,
    most: float = math.inf,
    say: Callable[[dict[int, Process]], None] = lambda seen: None,
) -> dict[int, Process]:
    """Run the command, at most for `most` seconds, and look at its processes until it ends."""
    seen: dict[int, Process] = {}
    start = reported = time.monotonic()
    stopped = False
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            look(process.pid, seen)
            now = time.monotonic()
            if now - reported > _MINUTE:
                say(seen)
                reported = now
            if now - start > most and not stopped:
                process.send_signal(signal.SIGINT)
                stopped = True
            time.sleep(seconds)
    if process.returncode and not stopped:
        sys.exit(f"The command failed with status {process.returncode}.")
    return seen


def judged(run: Path) -> int:
    """How many verdicts the run has stored so far."""
    stored = run / VERDICTS
    if not stored.exists():
        return 0
    with stored.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(_MEGABYTE), b""))


def shown(process: Process) -> str:
    """A line about one process."""
    growth = process.growth
    grew = "too short to say" if growth is None else f"{growth / _MEGABYTE:+,.0f} MB"
    return f"  {process.name}: peak {process.peak / _MEGABYTE:,.0f} MB, growth {grew}"


def judging(seen: dict[int, Process]) -> list[Process]:
    """The processes that judge or drive, without the rest of Ray."""
    processes = [process for process in seen.values() if process.name in ("driver", "worker")]
    return sorted(processes, key=lambda one: one.name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metric", default="overlap")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--engine", choices=["local", "ray"], default="local")
    parser.add_argument("--workers", type=int, help="Ray: at most so many")
    parser.add_argument("--backend", help="as for staytrue score")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after so many")
    parser.add_argument("--most", type=float, default=1.5, help="gigabytes of a process")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, run = Path(folder) / "rows.jsonl", Path(folder) / "run"
        with source.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows(options.rows))
        command = [
            sys.executable, "-m", "staytrue", "score", str(source), "--metric", options.metric,
            "--out", str(run), "--engine", options.engine, "--quiet",
        ]  # fmt: skip
        if options.workers:
            command += ["--workers", str(options.workers)]
        if options.backend:
            command += ["--backend", options.backend]
        start = time.monotonic()

        def say(seen: dict[int, Process]) -> None:
            seconds = time.monotonic() - start
            what = f"{options.metric}, {options.engine}, {seconds:,.0f} s"
            print(f"{judged(run):,} of {options.rows:,} rows with {what}:")
            print("\n".join(map(shown, judging(seen))), flush=True)

        seen = watched(command, most=options.minutes * _MINUTE, say=say)
        say(seen)
    processes = judging(seen)
    others = [process.peak for process in seen.values() if process not in processes]
    if others:
        print(
            f"  {len(others)} other processes of Ray: peak up to {max(others) / _MEGABYTE:,.0f} MB"
        )
    if max(process.peak for process in processes) > options.most * 1024 * _MEGABYTE:
        sys.exit(f"A process took more than {options.most:g} GB.")


if __name__ == "__main__":
    main()
