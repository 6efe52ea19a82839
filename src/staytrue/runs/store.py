"""Run folders: append-only files that survive a crash, and the manifest that says what they are.

    RUN/examples.jsonl   every example judged, as a plain row that can be scored again
    RUN/verdicts.jsonl   one verdict a line
    RUN/errors.jsonl     one failure a line: rows that did not parse, metrics that failed
    RUN/manifest.json    signatures, versions, options, seed, counts, timings

A kill leaves at most half a line at the end of a file; opening the run again cuts it off.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import platform
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from staytrue.core import signature
from staytrue.core.errors import RunError
from staytrue.core.records import (
    Example,
    Failure,
    JsonDict,
    Verdict,
    example_from_json,
    example_to_json,
    verdict_from_json,
    verdict_to_json,
)
from staytrue.core.redaction import redact
from staytrue.runs.ids import KeySet, key_of

EXAMPLES, VERDICTS, ERRORS, MANIFEST = (
    "examples.jsonl", "verdicts.jsonl", "errors.jsonl", "manifest.json",
)  # fmt: skip
# Failures that `retry_errors` tries again, until the run ends.
WAITING = "errors.waiting.jsonl"
# Ends the place of an example that came back with other content.
CHANGED = "(changed)"
_PACKAGES = ("staytrue", "numpy", "scipy", "spacy", "onnxruntime", "tokenizers", "sacrebleu")


class Run:
    """A run folder to read from."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not (self.folder / MANIFEST).is_file():
            raise RunError(f"{folder} is not a run folder: make one with  staytrue score … --out.")

    @property
    def manifest(self) -> JsonDict:
        """What the run is."""
        manifest: JsonDict = json.loads((self.folder / MANIFEST).read_text("utf-8"))
        return manifest

    @property
    def signatures(self) -> dict[str, str]:
        """Metric as asked for → its signature."""
        signatures: dict[str, str] = self.manifest["signature"]
        return signatures

    def examples(self) -> Iterator[Example]:
        """Every example of the run, streamed."""
        return (example_from_json(row) for row in _read(self.folder / EXAMPLES))

    def verdicts(self) -> Iterator[Verdict]:
        """Every verdict of the run, streamed."""
        return (verdict_from_json(row) for row in _read(self.folder / VERDICTS))

    def failures(self) -> Iterator[Failure]:
        """Everything that went wrong, streamed."""
        return (Failure(**row) for row in _read(self.folder / ERRORS))


class RunWriter:
    """A run folder to append to; use it as a context manager, it locks the folder meanwhile."""

    def __init__(
        self,
        folder: str | Path,
        signatures: Mapping[str, str],
        *,
        seed: int = 0,
        settings: Mapping[str, Any] | None = None,
        retry_errors: bool = False,
    ) -> None:
        self.folder = Path(folder)
        self._signatures = dict(signatures)
        self._seed = seed
        self._settings = dict(settings or {})
        self._retry_errors = retry_errors
        self._files: dict[str, IO[bytes]] = {}
        self._lock: IO[bytes] | None = None

    def __enter__(self) -> RunWriter:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{self.folder} cannot be made: {error.strerror}.") from None
        self._lock = _lock(self.folder)
        try:
            self._open()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(OSError, RunError):
            self._give_back_failures(everything_read=kind is None)
        # On a full disk neither closing nor the new manifest may succeed; what was flushed is
        # safe, half a line is cut off when the run is opened again, the first manifest stands.
        for file in self._files.values():
            with contextlib.suppress(OSError):
                file.close()
        with contextlib.suppress(OSError):
            self._write_manifest(finished=kind is None)
        if self._lock:
            self._lock.close()

    def has(self, example_id: str, metric: str) -> bool:
        """Whether this metric's verdict, or failure, on this example is stored."""
        return key_of(example_id, metric) in self._done

    def has_failure(self, failure: Failure) -> bool:
        """Whether this failure is stored."""
        return key_of(failure.where, failure.metric) in self._done

    def holds_other(self, example: Example) -> bool:
        """Whether an example with this id but other content is stored."""
        return key_of(example.id) in self._ids and key_of(_line(example_to_json(example))) not in (
            self._contents
        )

    def add(
        self,
        examples: Sequence[Example],
        verdicts: Sequence[Verdict] = (),
        failures: Sequence[Failure] = (),
    ) -> None:
        """Append what is not stored yet, and return when it is on the disk."""
        rows = [example_to_json(e) for e in examples if key_of(e.id) not in self._ids]
        self._append(EXAMPLES, rows)
        for row in rows:
            self._count_example(row)
        failed = [
            {**asdict(failure), "error": redact(failure.error)}
            for failure in failures
            if not self.has_failure(failure)
        ]
        self._append(ERRORS, failed)
        for row in failed:
            self._count_failure(row)
        judged = [verdict_to_json(v) for v in verdicts if not self.has(v.example_id, v.metric)]
        self._append(VERDICTS, judged)
        for row in judged:
            self._count_verdict(row)

    def add_seconds(self, metric: str, seconds: float) -> None:
        """Add to the time that a metric has taken, over all sittings of the run."""
        self._timings[metric] = self._timings.get(metric, 0.0) + seconds

    def add_usage(self, source: str, counted: Mapping[str, float]) -> None:
        """Add to what a chatbot or backend has used, over all sittings of the run."""
        total = self._usage.setdefault(source, {})
        for name, value in counted.items():
            total[name] = total.get(name, 0) + value

    @property
    def usage(self) -> dict[str, dict[str, float]]:
        """What each chatbot that counts has used, over all sittings of the run."""
        return self._usage

    @property
    def counts(self) -> JsonDict:
        """Rows of each kind; for each metric scored + abstained + failed = examples, when done."""
        return {
            "examples": len(self._ids),
            "unreadable": self._unreadable,
            "errors": self._unreadable + sum(c["failed"] for c in self._by_metric.values()),
            "metrics": self._by_metric,
        }

    def _open(self) -> None:
        manifest = self._previous_manifest()
        self._created = manifest.get("created", _now())
        self._timings: dict[str, float] = dict(manifest.get("timings", {}).get("metrics", {}))
        self._seconds_before: float = manifest.get("timings", {}).get("seconds", 0.0)
        self._usage: dict[str, dict[str, float]] = dict(manifest.get("usage", {}))
        self._started = time.monotonic()
        earlier = manifest.get("settings", {}).get("inputs", [])
        self._inputs: list[str] = list(self._settings.get("inputs", []))
        if "inputs" in self._settings:
            new = [i for i in self._settings["inputs"] if i not in earlier]
            self._settings["inputs"] = [*earlier, *new]
        self._ids, self._contents, self._done = KeySet(), KeySet(), KeySet()
        self._unreadable = 0
        self._by_metric: dict[str, JsonDict] = {
            name: {"scored": 0, "abstained": 0, "failed": 0, "mean": None, "sd": None}
            for name in self._signatures
        }
        if self._retry_errors:
            # They wait beside it, also through a kill, until it shows which are done again.
            self._set_failures_aside()
        self._write_manifest(finished=False)
        counters = {
            EXAMPLES: self._count_example,
            ERRORS: self._count_failure,
            VERDICTS: self._count_verdict,
        }
        for name, counter in counters.items():
            path = self.folder / name
            _cut_half_line(path)
            for row in _read(path):
                counter(row)
            self._files[name] = path.open("ab")

    def _set_failures_aside(self) -> None:
        aside = self.folder / WAITING
        rows = (row for path in (aside, self.folder / ERRORS) for row in _read(path))
        lines = dict.fromkeys(_line(row) + "\n" for row in rows)
        _replace(aside, "".join(lines).encode())
        _replace(self.folder / ERRORS, b"")

    def _give_back_failures(self, *, everything_read: bool) -> None:
        """Keep the failures of earlier that were not tried again, such as those of other inputs."""
        aside = self.folder / WAITING
        if not aside.exists():
            return
        kept = [
            Failure(**row)
            for row in _read(aside)
            if not (everything_read and not row["metric"] and self._read_again(row["where"]))
        ]
        self.add((), failures=kept)
        aside.unlink()

    def _read_again(self, where: str) -> bool:
        """Whether the place of a row that could not be read is in an input of this sitting."""
        paths = {i for source in self._inputs for i in (source, source.partition(":")[2]) if i}
        paths |= {"standard input"} if "-" in paths else set()
        found = any(where == path or where.startswith(f"{path}:") for path in paths)
        return found or not paths or where.endswith(CHANGED)

    def _previous_manifest(self) -> JsonDict:
        if not (self.folder / MANIFEST).exists():
            if any((self.folder / name).exists() for name in (EXAMPLES, VERDICTS, ERRORS)):
                raise RunError(
                    f"{self.folder} has results but no manifest: choose another --out folder."
                )
            return {}
        manifest = Run(self.folder).manifest
        earlier = manifest["signature"]
        if earlier != self._signatures:
            raise RunError(
                f"{self.folder} was made with another signature "
                f"({_changed(earlier, self._signatures)}): choose another --out folder."
            )
        return manifest

    def _count_example(self, row: JsonDict) -> None:
        self._ids.add(key_of(row["id"]))
        self._contents.add(key_of(_line(row)))

    def _count_failure(self, row: JsonDict) -> None:
        self._done.add(key_of(row["where"], row["metric"]))
        if row["metric"] in self._by_metric:
            self._by_metric[row["metric"]]["failed"] += 1
        else:
            self._unreadable += 1

    def _count_verdict(self, row: JsonDict) -> None:
        self._done.add(key_of(row["example_id"], row["metric"]))
        count = self._by_metric[row["metric"]]
        if row["score"] is None:
            count["abstained"] += 1
            return
        # Welford's running mean and standard deviation: no second pass, no list of scores.
        count["scored"] = n = count["scored"] + 1
        mean, deviation = count["mean"] or 0.0, count["sd"] or 0.0
        step = row["score"] - mean
        count["mean"] = mean + step / n
        squares = deviation**2 * max(n - 2, 0) + step * (row["score"] - count["mean"])
        count["sd"] = (squares / (n - 1)) ** 0.5 if n > 1 else None

    def _append(self, name: str, rows: Sequence[JsonDict]) -> None:
        if not rows:
            return
        file = self._files[name]
        try:
            file.write("".join(_line(row) + "\n" for row in rows).encode())
            file.flush()
            os.fsync(file.fileno())
        except OSError as error:
            what = "The disk is full" if error.errno == errno.ENOSPC else f"Writing failed: {error}"
            raise RunError(
                f"{what}: what was written before is kept; "
                "make room and run the same command again."
            ) from None

    def _write_manifest(self, *, finished: bool) -> None:
        seconds = self._seconds_before + time.monotonic() - self._started
        manifest = {
            "signature": self._signatures,
            "seed": self._seed,
            "settings": self._settings,
            "versions": _versions(),
            "created": self._created,
            "finished": _now() if finished else None,
            "counts": self.counts,
            "timings": {"seconds": round(seconds, 3), "metrics": self._timings},
        }
        if self._usage:
            manifest["usage"] = self._usage
        text = redact(json.dumps(manifest, indent=2, ensure_ascii=False))
        _replace(self.folder / MANIFEST, text.encode("utf-8", "replace") + b"\n")


def merge(folders: Sequence[str | Path], out: str | Path) -> JsonDict:
    """Join runs of one signature, such as the shards of a cluster, and return the counts."""
    runs = [Run(folder) for folder in folders]
    first = runs[0].manifest
    for run in runs[1:]:
        if run.signatures != first["signature"]:
            raise RunError(
                f"{run.folder} has another signature than {runs[0].folder} "
                f"({_changed(first['signature'], run.signatures)}): only like runs can be merged."
            )
    inputs = [i for run in runs for i in run.manifest["settings"].get("inputs", [])]
    settings = {**first["settings"], "inputs": list(dict.fromkeys(inputs))}
    with RunWriter(out, first["signature"], seed=first["seed"], settings=settings) as writer:
        # Merging again into the same folder must not count twice.
        writer.usage.clear()
        for run in runs:
            changed: set[str] = set()
            for examples in batched(run.examples(), 1000):
                changed |= {example.id for example in examples if writer.holds_other(example)}
                writer.add([example for example in examples if example.id not in changed])
            writer.add((), failures=[_changed_example(run.folder, name) for name in changed])
            for failures in batched(run.failures(), 1000):
                writer.add((), failures=[f for f in failures if f.where not in changed])
            for verdicts in batched(run.verdicts(), 1000):
                writer.add((), [v for v in verdicts if v.example_id not in changed])
            for bot, counted in run.manifest.get("usage", {}).items():
                writer.add_usage(bot, counted)
        return writer.counts


def _changed_example(folder: Path, example_id: str) -> Failure:
    return Failure(
        f"{example_id} of {folder} {CHANGED}",
        f"Another run has an example '{example_id}' with other content: give it another id.",
    )


def batched(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Lists of up to `size` items, in order."""
    batch: list[Any] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _changed(earlier: Mapping[str, str], now: Mapping[str, str]) -> str:
    if set(earlier) != set(now):
        return f"its metrics are {', '.join(earlier)}, now they are {', '.join(now)}"
    return "; ".join(
        f"{name}: {difference}"
        for name in earlier
        for difference in signature.differences(earlier[name], now[name])
    )


def _line(row: JsonDict) -> str:
    text = json.dumps(row, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can hold
        return json.dumps(row, allow_nan=False)
    return text


def _read(path: Path) -> Iterator[JsonDict]:
    if not path.exists():
        return
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                return  # half a line, from a kill
            try:
                yield json.loads(line)
            except ValueError:
                message = f"{path}:{number} is damaged: remove that line and run again."
                raise RunError(message) from None


def _cut_half_line(path: Path) -> None:
    if not path.exists():
        return
    with path.open("rb+") as file:
        end = file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - 2**16)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                file.truncate(start + newline + 1)
                return
            end = start
        file.truncate(0)


def _replace(path: Path, content: bytes) -> None:
    aside = path.with_name(path.name + ".writing")
    with aside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)


def _lock(folder: Path) -> IO[bytes]:
    file = (folder / ".lock").open("ab")
    try:
        import fcntl
    except ImportError:  # Windows: no lock, the rest works
        return file
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise RunError(f"Another command is writing to {folder}: wait for it to end.") from None
    return file


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
