"""The run folders that the app shows."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from staytrue.annotation.blind_names import KEY_FILE, sheet_key
from staytrue.core.errors import RunError, UsageError
from staytrue.core.records import Example, JsonDict, Verdict, example_to_json, verdict_to_json
from staytrue.report.page import environment, figures_context
from staytrue.report.run_view import RunView, read_run
from staytrue.runs.folder import MANIFEST, Run
from staytrue.web.faults import NotFound

MOST_SHOWN = 10_000
_KEPT_VIEWS = 4
CHAT_TAGS = frozenset({"chat", "annotator", "practice"})
"""Tags that the examples of a blind chat have, and no others."""


@dataclass(frozen=True)
class RunLine:
    """One line in the list of runs."""

    name: str
    examples: int | None
    metrics: dict[str, float | None]
    """Metric → mean score."""
    created: str


class Runs:
    """Finds runs by name; a run's name is its folder's."""

    def __init__(self, places: tuple[Path, ...]) -> None:
        self._places = places
        self._views: dict[str, tuple[float, RunView]] = {}
        self._figures: dict[str, tuple[float, str]] = {}
        self._lock = threading.Lock()

    def folders(self) -> dict[str, Path]:
        """Name → folder of every run there is now; a second one of a name gets a number."""
        folders: dict[str, Path] = {}
        for root in self._places:
            inside = sorted(root.iterdir()) if root.is_dir() else []
            for folder in [root, *inside]:
                if (folder / MANIFEST).is_file():
                    name = base = folder.resolve().name
                    number = 2
                    while name in folders:
                        name, number = f"{base}-{number}", number + 1
                    folders[name] = folder
        return folders

    def folder(self, name: str) -> Path:
        """The folder of a run; only names from the list are looked up, never a path."""
        folders = self.folders()
        if name not in folders:
            raise NotFound(f"There is no run '{name}'.")
        return folders[name]

    def lines(self) -> list[RunLine]:
        """All runs with their means, from the manifests alone; the newest first."""
        lines = [_line(name, folder) for name, folder in self.folders().items()]
        return sorted(lines, key=lambda line: line.created, reverse=True)

    def view(self, name: str) -> RunView:
        """The run as the report shows it; read again only when it has changed."""
        folder = self.folder(name)
        changed = _changed(folder)
        with self._lock:
            kept = self._views.get(name)
            if kept is None or kept[0] != changed:
                view = read_run(folder, most_examples=MOST_SHOWN)
                view.shown = [_blind(row) for row in view.shown]
                self._views[name] = kept = (changed, view)
                while len(self._views) > _KEPT_VIEWS:
                    self._views.pop(next(iter(self._views)))
            return kept[1]

    def figures(self, name: str) -> str:
        """The run's figures as HTML; made again only when the run has changed."""
        view, changed = self.view(name), _changed(self.folder(name))
        with self._lock:
            kept = self._figures.get(name)
            if kept is None or kept[0] != changed:
                html = environment().get_template("figures.html").render(**figures_context(view))
                self._figures[name] = kept = (changed, html)
            return kept[1]

    def examples(self, name: str) -> Iterator[Example]:
        """Every example of a run, streamed."""
        return Run(self.folder(name)).examples()

    def sheet_key(self, name: str) -> bytes:
        """The secret under which sheets name the run's examples, as `staytrue annotate` has it."""
        try:
            return sheet_key(self.folder(name) / KEY_FILE)
        except OSError:
            raise UsageError(
                f"The server may not write {KEY_FILE} into the run '{name}': let it, or export "
                "every judgement."
            ) from None

    def summary(self, name: str) -> JsonDict:
        """The run's counts, and each metric's figures with its signature."""
        manifest = Run(self.folder(name)).manifest
        counts: JsonDict = manifest.get("counts", {})
        figures = counts.get("metrics", {})
        metrics = {
            metric: {"signature": signature, **figures.get(metric, {})}
            for metric, signature in manifest["signature"].items()
        }
        totals = {key: count for key, count in counts.items() if key != "metrics"}
        return {"name": name, "created": manifest.get("created", ""), "seed": manifest.get("seed"),
                **totals, "metrics": metrics}  # fmt: skip

    def failures(self, name: str, offset: int, limit: int) -> list[JsonDict]:
        """Some of what went wrong, in the order of the file."""
        failures = Run(self.folder(name)).failures()
        return [asdict(failure) for failure in islice(failures, offset, offset + limit)]

    def page(self, name: str, offset: int, limit: int) -> list[JsonDict]:
        """Some examples with their verdicts, in the order of the file."""
        run = Run(self.folder(name))
        rows = {e.id: _with_verdicts(e) for e in islice(run.examples(), offset, offset + limit)}
        for verdict in run.verdicts() if rows else ():
            if verdict.example_id in rows:
                row = rows[verdict.example_id]
                row["verdicts"][verdict.metric] = verdict_fields(verdict)
        return list(rows.values())

    def example(self, name: str, example_id: str) -> JsonDict:
        """One example with its verdicts and failures."""
        run = Run(self.folder(name))
        for example in run.examples():
            if example.id == example_id:
                row = _with_verdicts(example)
                for verdict in run.verdicts():
                    if verdict.example_id == example_id:
                        row["verdicts"][verdict.metric] = verdict_fields(verdict)
                failed = [asdict(f) for f in run.failures() if f.where == example_id]
                return {**row, "failures": failed}
        raise NotFound(f"The run '{name}' has no example '{example_id}'.")


def _with_verdicts(example: Example) -> JsonDict:
    return {**_blind(example_to_json(example)), "verdicts": {}}


def _blind(row: JsonDict) -> JsonDict:
    """The row; of a blind chat without its bot, as whoever reads it may still be talking to it."""
    tags = row.get("tags", {})
    if not set(tags) >= CHAT_TAGS:
        return row
    return {**row, "tags": {name: value for name, value in tags.items() if name != "bot"}}


def verdict_fields(verdict: Verdict) -> JsonDict:
    """A verdict as the API shows it, under its metric's name."""
    row = verdict_to_json(verdict)
    return {key: row[key] for key in ("score", "label", "reason", "evidence")}


def _line(name: str, folder: Path) -> RunLine:
    try:
        manifest = Run(folder).manifest
    except (RunError, ValueError):
        return RunLine(name, None, {}, "")
    counts = manifest.get("counts", {})
    means = {metric: figures.get("mean") for metric, figures in counts.get("metrics", {}).items()}
    return RunLine(name, counts.get("examples"), means, manifest.get("created", ""))


def _changed(folder: Path) -> float:
    times = [0.0]
    for name in ("verdicts.jsonl", "verdicts", MANIFEST, "ranking.json"):
        with contextlib.suppress(FileNotFoundError):
            times.append((folder / name).stat().st_mtime)
    return max(times)
