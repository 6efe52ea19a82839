"""Run folders to read from.

RUN/examples.jsonl   every example judged, as a plain row that can be scored again
RUN/verdicts.jsonl   one verdict per line
RUN/errors.jsonl     one failure per line: rows that did not parse, metrics that failed
RUN/manifest.json    signatures, versions, options, seed, counts, timings

With `--format parquet`, RUN/examples/ and RUN/verdicts/ take the place of the first two.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from staytrue.core.errors import RunError
from staytrue.core.records import (
    Example,
    Failure,
    JsonDict,
    Verdict,
    example_from_json,
    failure_from_json,
    verdict_from_json,
)
from staytrue.runs import parquet
from staytrue.runs.jsonl import read_records

EXAMPLES, VERDICTS, ERRORS, MANIFEST = (
    "examples.jsonl", "verdicts.jsonl", "errors.jsonl", "manifest.json",
)  # fmt: skip


class Run:
    """A run folder to read from; those of version 0.1.0 can be read too."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not (self.folder / MANIFEST).is_file():
            raise RunError(f"{folder} is not a run folder: make one with  staytrue score … --out.")

    @property
    def manifest(self) -> JsonDict:
        """What the run is."""
        path = self.folder / MANIFEST
        try:
            manifest: JsonDict = json.loads(path.read_bytes())
            if all(isinstance(one, str) for one in manifest["signature"].values()):
                return manifest
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            pass
        raise RunError(f"{path} is damaged: score into a new folder, or restore it from a copy.")

    @property
    def signatures(self) -> dict[str, str]:
        """Metric as asked for → its signature."""
        signatures: dict[str, str] = self.manifest["signature"]
        return signatures

    @property
    def processors(self) -> list[str]:
        """The kinds of processors that it was made on; empty if an older version made it."""
        processors: list[str] = self.manifest.get("processors", [])
        return processors

    @property
    def is_partial(self) -> bool:
        """Whether the command that writes it was interrupted, or is still at work."""
        return self.manifest.get("finished", "") is None

    def examples(self) -> Iterator[Example]:
        """Every example of the run, streamed."""
        return parquet.read_all(self.folder / EXAMPLES, example_from_json)

    def verdicts(self) -> Iterator[Verdict]:
        """Every verdict of the run, streamed."""
        return parquet.read_all(self.folder / VERDICTS, _verdict)

    def failures(self) -> Iterator[Failure]:
        """Everything that went wrong, streamed."""
        return read_records(self.folder / ERRORS, failure_from_json)


def _verdict(row: JsonDict) -> Verdict:
    verdict = verdict_from_json(row)
    score = verdict.score
    if score is not None and not (isinstance(score, (int, float)) and 0 <= score <= 1):
        raise ValueError("an invalid score")
    if not isinstance(verdict.metric, str) or not isinstance(verdict.example_id, str):
        raise TypeError("names that are not text")
    return verdict
