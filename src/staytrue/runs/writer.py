"""A run folder to append to: it survives a crash, and a second sitting resumes it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from filelock import FileLock, Timeout

from staytrue.core.errors import RunError, UsageError
from staytrue.core.records import (
    Example,
    Failure,
    JsonDict,
    Verdict,
    example_to_json,
    failure_to_json,
    verdict_to_json,
)
from staytrue.core.redaction import redact
from staytrue.runs import parquet, waiting
from staytrue.runs.folder import ERRORS, EXAMPLES, MANIFEST, VERDICTS, Run
from staytrue.runs.jsonl import AppendedFile
from staytrue.runs.manifest import Manifest
from staytrue.runs.tally import Tally


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
        rereads: bool = False,
        new_metrics: bool = False,
        new_inputs: bool = False,
        as_parquet: bool = False,
    ) -> None:
        """`new_metrics` and `new_inputs` may join those that a run folder holds already.

        With `as_parquet`, the results of a run that ends well are turned into Parquet.

        Whoever `rereads` all rows of the inputs will meet those again that cannot be read: the
        folder then forgets them, because they may be fixed by now.
        """
        self.folder = Path(folder)
        self._signatures = dict(signatures)
        self._seed = seed
        self._settings = dict(settings or {})
        self._retry_errors = retry_errors
        self._rereads = rereads
        self._as_parquet = as_parquet
        self._may_join = {"new_metrics": new_metrics, "new_inputs": new_inputs}
        self._files: dict[str, AppendedFile] = {}

    def __enter__(self) -> RunWriter:
        if self._as_parquet:
            parquet.check_installed()
        _check_is_local(self.folder)
        _check_is_ours(self.folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{self.folder} cannot be created: {error.strerror}.") from None
        self._lock = FileLock(self.folder / ".lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise RunError(
                f"Another command is writing to {self.folder}: wait until it ends."
            ) from None
        try:
            self._open()
        except BaseException:
            self._lock.release()
            raise
        return self

    def _open(self) -> None:
        self._manifest = Manifest(
            self.folder, self._signatures, self._seed, self._settings, **self._may_join
        )
        self._tally = Tally(self._manifest.signatures)
        if self._retry_errors:
            waiting.set_aside(self.folder)
        elif self._rereads:
            inputs = self._settings.get("inputs", [])
            waiting.set_aside(self.folder, partial(waiting.is_unread_row, inputs=inputs))
        self._manifest.write(self.counts, finished=False)
        self._files = {
            name: AppendedFile(self.folder / name) for name in (EXAMPLES, ERRORS, VERDICTS)
        }
        stored = Run(self.folder)
        for example in stored.examples():
            self._tally.count_example(example)
        for failure in stored.failures():
            self._tally.count_failure(failure)
        for verdict in stored.verdicts():
            self._tally.count_verdict(verdict)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # On a full disk neither of these may succeed: what was flushed is safe, half a line is cut
        # off when the run is opened again, and the first manifest stands.
        with contextlib.suppress(OSError, RunError):
            inputs = self._settings.get("inputs", [])
            failures = waiting.not_tried_again(self.folder, inputs, everything_read=kind is None)
            self.add((), failures=failures)
            waiting.take_back(self.folder)
        for file in self._files.values():
            file.close()
        with contextlib.suppress(OSError):
            self._manifest.write(self.counts, finished=kind is None)
        try:
            if self._as_parquet and kind is None:
                parquet.pack(self.folder)
        finally:
            self._lock.release()

    def has(self, example_id: str, metric: str) -> bool:
        """Whether this metric's verdict, or failure, on this example is stored."""
        return self._tally.has_verdict(example_id, metric)

    def has_failure(self, failure: Failure) -> bool:
        """Whether this failure is stored."""
        return self._tally.has_failure(failure)

    def holds_other(self, example: Example) -> bool:
        """Whether an example with this id but other content is stored."""
        return self._tally.holds_other(example)

    def add(
        self,
        examples: Sequence[Example],
        verdicts: Sequence[Verdict] = (),
        failures: Sequence[Failure] = (),
    ) -> None:
        """Append what is not stored yet, and return when it is on the disk."""
        new = [e for e in examples if not self._tally.has_example(e)]
        self._files[EXAMPLES].append([example_to_json(e) for e in new])
        for example in new:
            self._tally.count_example(example)
        failed = [replace(f, error=redact(f.error)) for f in failures if not self.has_failure(f)]
        self._files[ERRORS].append([failure_to_json(f) for f in failed])
        for failure in failed:
            self._tally.count_failure(failure)
        judged = [v for v in verdicts if not self.has(v.example_id, v.metric)]
        self._files[VERDICTS].append([verdict_to_json(v) for v in judged])
        for verdict in judged:
            self._tally.count_verdict(verdict)

    def add_seconds(self, metric: str, seconds: float) -> None:
        """Add to the time that a metric has taken, over all sittings of the run."""
        self._manifest.add_seconds(metric, seconds)

    def add_usage(self, source: str, used: Mapping[str, float]) -> None:
        """Add to what a chatbot or backend has used, over all sittings of the run."""
        self._manifest.add_usage(source, used)

    @property
    def usage(self) -> dict[str, dict[str, float]]:
        """What each chatbot that counts has used, over all sittings of the run."""
        return self._manifest.usage

    @property
    def processors(self) -> list[str]:
        """The kinds of processors that the run was made on, over all its sittings."""
        return self._manifest.processors

    @property
    def counts(self) -> JsonDict:
        """Rows of each kind; for each metric scored + abstained + failed = examples, when done."""
        return self._tally.counts


def _check_is_local(folder: Path) -> None:
    """Refuse an address, of which a local folder with a strange name would be made."""
    scheme, colon, path = str(folder).partition(":/")
    if colon and re.fullmatch(r"[A-Za-z][\w+.-]+", scheme):  # C:/ is a drive
        raise UsageError(
            f"{scheme}://{path.lstrip('/')} is an address, but a run is written to a folder on "
            "this machine: name a local folder, and copy it there when the run is complete."
        )


def _check_is_ours(folder: Path) -> None:
    """Refuse a folder of other files, among which a run would be lost."""
    if not folder.is_dir() or (folder / MANIFEST).exists():
        return
    # Hidden files, and what a kill left before the manifest was in place, are no reason.
    names = sorted(path.name for path in folder.iterdir())
    others = [name for name in names if name[0] != "." and not name.startswith(MANIFEST)]
    if others and not {EXAMPLES, VERDICTS, ERRORS} & set(others):
        raise RunError(
            f"{folder} is not a run folder and holds other files, such as {others[0]}: "
            "choose another --out folder."
        )
