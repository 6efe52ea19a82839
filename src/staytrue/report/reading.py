"""Reads a run folder for showing: numbers of all examples, texts of as many as a page can hold."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from staytrue.errors import RunError
from staytrue.records import JsonDict

# What a browser still filters and sorts without a pause; `RunView.left_out` counts the rest.
MOST_EXAMPLES = 10_000
MOST_BYTES = 32_000_000
# A longer text is cut on the page; the run folder keeps all of it.
MOST_CHARACTERS = 20_000
MOST_ERRORS = 500


@dataclass
class MetricView:
    """One metric's results, a value for each example in the order of `examples.jsonl`."""

    name: str
    signature: str
    scores: list[float | None]
    """None where the metric abstained, failed, or has not been asked."""
    labels: list[str | None]
    abstained: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    """Why it abstained, by sentence."""


@dataclass
class RunView:
    """A run folder as far as it is shown."""

    name: str
    manifest: JsonDict
    metrics: list[MetricView]
    consistent: list[bool | None]
    labels: list[str | None]
    ratings: list[float | None]
    probes: list[tuple[str, str] | None]
    """Source and kind of each example's probe."""
    shown: list[JsonDict]
    """The examples on the page, each with its verdicts under "verdicts"."""
    errors: list[JsonDict]
    """The first of the failures."""
    error_count: int
    ranking: JsonDict | None = None

    @property
    def total(self) -> int:
        """How many examples the run holds."""
        return len(self.consistent)

    @property
    def left_out(self) -> int:
        """How many examples are in the figures but not on the page."""
        return self.total - len(self.shown)


def read_run(
    folder: Path, *, most_examples: int = MOST_EXAMPLES, most_bytes: int = MOST_BYTES
) -> RunView:
    """Read a run folder; memory grows with the numbers of all and the texts of the shown only."""
    if not (folder / "examples.jsonl").is_file():
        raise RunError(
            f"'{folder}' is not a run folder: it has no examples.jsonl; "
            "make one with  staytrue score INPUT --metric NAME --out RUN."
        )
    manifest = _read_object(folder / "manifest.json")
    view = RunView(
        folder.resolve().name, manifest, [], [], [], [], [], [], [], 0,
        _read_object(folder / "ranking.json") or None,
    )  # fmt: skip
    budget = _Budget(most_examples, most_bytes)
    places = _read_examples(folder, view, budget)
    _read_verdicts(folder, view, places, budget)
    _read_errors(folder, view)
    return view


@dataclass
class _Budget:
    """What may still go onto the page."""

    examples: int
    bytes: int

    def take(self, row: Mapping[str, Any]) -> bool:
        cost = len(json.dumps(row, ensure_ascii=False))
        if self.examples <= 0 or self.bytes < cost:
            self.examples = 0  # the shown ones are the first ones, without gaps
            return False
        self.examples -= 1
        self.bytes -= cost
        return True


def rows(path: Path) -> Iterator[JsonDict]:
    """The objects of a JSON-lines file; a line cut off by a crash is passed over."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict):
                yield row


def _read_object(path: Path) -> JsonDict:
    if not path.is_file():
        return {}
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RunError(f"{path} is not readable JSON ({error}); make the run again.") from None
    return loaded if isinstance(loaded, dict) else {}


def _read_examples(folder: Path, view: RunView, budget: _Budget) -> dict[str, int]:
    places: dict[str, int] = {}
    for row in rows(folder / "examples.jsonl"):
        key = str(row.get("id"))
        if key in places:
            continue
        places[key] = len(places)
        view.consistent.append(row.get("consistent"))
        view.labels.append(row.get("label"))
        view.ratings.append(row.get("rating"))
        probe = row.get("probe")
        view.probes.append((probe.get("source", ""), probe.get("kind", "")) if probe else None)
        if budget.examples > 0:
            short = _shortened(row)
            if budget.take(short):
                view.shown.append({**short, "verdicts": {}})
    return places


def _read_verdicts(folder: Path, view: RunView, places: dict[str, int], budget: _Budget) -> None:
    metrics: dict[str, MetricView] = {}
    for name in _metric_names(view.manifest):
        metrics[name] = _new_metric(view, name)
    seen: set[tuple[str, int]] = set()
    for row in rows(folder / "verdicts.jsonl"):
        name, place = str(row.get("metric")), places.get(str(row.get("example_id")))
        if place is None or (name, place) in seen:
            continue
        seen.add((name, place))
        metric = metrics.setdefault(name, _new_metric(view, name))
        metric.scores[place], metric.labels[place] = row.get("score"), row.get("label")
        if row.get("score") is None:
            metric.abstained += 1
            metric.reasons[row.get("reason") or "no reason given"] += 1
        if place < len(view.shown):
            _show_verdict(view.shown[place], name, _shortened(row), budget)
    view.metrics = list(metrics.values())


def _show_verdict(example: JsonDict, name: str, row: JsonDict, budget: _Budget) -> None:
    kept = {key: row.get(key) for key in ("score", "label", "reason", "evidence")}
    cost = len(json.dumps(kept, ensure_ascii=False))
    if budget.bytes < cost:
        # Scores stay sortable; only the evidence of the late ones is missing, and says so.
        kept = {**kept, "evidence": [], "evidence_left_out": True}
    else:
        budget.bytes -= cost
    example["verdicts"][name] = kept


def _read_errors(folder: Path, view: RunView) -> None:
    for row in rows(folder / "errors.jsonl"):
        view.error_count += 1
        if len(view.errors) < MOST_ERRORS:
            view.errors.append(_shortened(row))


def _metric_names(manifest: Mapping[str, Any]) -> list[str]:
    return list(_signatures(manifest))


def _signatures(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Metric → signature, in the order they were asked for."""
    found = manifest.get("signatures", manifest.get("signature"))
    if isinstance(found, Mapping):
        return {str(name): str(value) for name, value in found.items()}
    return {found.partition("|")[0]: found} if isinstance(found, str) and found else {}


def _new_metric(view: RunView, name: str) -> MetricView:
    signature = _signatures(view.manifest).get(name, "")
    return MetricView(name, signature, [None] * view.total, [None] * view.total)


def _shortened(value: Any) -> Any:
    """The same value with every text cut to a length that a page can show."""
    if isinstance(value, str):
        cut = len(value) - MOST_CHARACTERS
        return value if cut <= 0 else f"{value[:MOST_CHARACTERS]} … ({cut:,} more characters)"
    if isinstance(value, Mapping):
        return {key: _shortened(inner) for key, inner in value.items()}
    return [_shortened(inner) for inner in value] if isinstance(value, list) else value
