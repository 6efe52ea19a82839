"""Reads a run folder for showing: numbers of all examples, texts of as many as a page can hold."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from staytrue.core.records import JsonDict, example_to_json, verdict_to_json
from staytrue.runs.folder import Run
from staytrue.stats.clusters import cluster_of
from staytrue.studies.aih.records import Ranking, read_ranking
from staytrue.studies.citations import CitationShares, citations_in

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
    citations: dict[int, CitationShares] = field(default_factory=dict)
    """How well the responses that cite do so, by the place of the example."""


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
    groups: list[str]
    """The dialogue or document of each example."""
    tags: list[Mapping[str, str]]
    shown: list[JsonDict]
    """The examples on the page, each with its verdicts under "verdicts"."""
    errors: list[JsonDict]
    """The first of the failures."""
    error_count: int
    ranking: Ranking | None = None

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
    run = Run(folder)
    view = RunView(folder.resolve().name, run.manifest, [], [], [], [], [], [], [], [], [], 0)
    view.ranking = read_ranking(folder)
    budget = _Budget(most_examples, most_bytes)
    places = _read_examples(run, view, budget)
    _read_verdicts(run, view, places, budget)
    _read_errors(run, view)
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


def _read_examples(run: Run, view: RunView, budget: _Budget) -> dict[str, int]:
    places: dict[str, int] = {}
    for example in run.examples():
        places[example.id] = len(places)
        view.consistent.append(example.consistent)
        view.labels.append(example.label)
        view.ratings.append(example.rating)
        view.groups.append(cluster_of(example))
        view.tags.append(example.tags)
        probe = example.probe
        view.probes.append((probe.source, probe.kind) if probe else None)
        if budget.examples > 0:
            short = _shortened(example_to_json(example))
            if budget.take(short):
                view.shown.append({**short, "verdicts": {}})
    return places


def _read_verdicts(run: Run, view: RunView, places: dict[str, int], budget: _Budget) -> None:
    metrics = {
        name: MetricView(name, signature, [None] * view.total, [None] * view.total)
        for name, signature in run.signatures.items()
    }
    for verdict in run.verdicts():
        row_number, metric = places.get(verdict.example_id), metrics.get(verdict.metric)
        if row_number is None or metric is None:
            continue
        metric.scores[row_number], metric.labels[row_number] = verdict.score, verdict.label
        if cited := citations_in(verdict):
            metric.citations[row_number] = cited
        if verdict.score is None:
            metric.abstained += 1
            metric.reasons[verdict.reason] += 1
        if row_number < len(view.shown):
            row = _shortened(verdict_to_json(verdict))
            _show_verdict(view.shown[row_number], verdict.metric, row, budget)
    # `consistency` weighs the others and is what the product stands for.
    view.metrics = sorted(metrics.values(), key=lambda m: not m.name.startswith("consistency"))


def _show_verdict(example: JsonDict, name: str, row: JsonDict, budget: _Budget) -> None:
    verdict = {key: row.get(key) for key in ("score", "label", "reason", "evidence")}
    cost = len(json.dumps(verdict, ensure_ascii=False))
    if budget.bytes < cost:
        # Scores stay sortable; only the evidence of the late ones is missing, and says so.
        verdict = {**verdict, "evidence": [], "evidence_left_out": True}
    else:
        budget.bytes -= cost
    example["verdicts"][name] = verdict


def _read_errors(run: Run, view: RunView) -> None:
    for failure in run.failures():
        view.error_count += 1
        if len(view.errors) < MOST_ERRORS:
            view.errors.append(_shortened(asdict(failure)))


def _shortened(value: Any) -> Any:
    """The same value with every text cut to a length that a page can show."""
    if isinstance(value, str):
        cut = len(value) - MOST_CHARACTERS
        return value if cut <= 0 else f"{value[:MOST_CHARACTERS]} … ({cut:,} more characters)"
    if isinstance(value, Mapping):
        return {key: _shortened(inner) for key, inner in value.items()}
    return [_shortened(inner) for inner in value] if isinstance(value, list) else value
