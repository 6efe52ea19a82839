"""What `staytrue agree` prints and draws for --curve, --systems and --robustness."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from staytrue.cli.terminal import note, print_table
from staytrue.core.errors import RunError, UsageError
from staytrue.core.text import decimals
from staytrue.report.lines import ChartLine, line_chart
from staytrue.runs.folder import Run
from staytrue.stats.curve import curve
from staytrue.studies.agreement import is_consistent, judged
from staytrue.studies.q2 import systems


@dataclass(frozen=True)
class JudgedRun:
    """A run, which human classes count as consistent, and what an abstention counts as."""

    run: Run
    positive: Collection[str] = ()
    abstained_as: float | None = None


def show_curve(reading: JudgedRun, *, as_json: bool) -> Any:
    """Precision and recall of both classes over thresholds; the plot goes to RUN/curve.svg."""
    points = {}
    for name, (scores, labels) in _yes_no(reading).items():
        points[name] = curve(scores, labels)
    body = {name: [asdict(p) for p in one] for name, one in points.items()}
    if as_json:
        return body
    for name, one in points.items():
        rows = [
            (f"{p.threshold:.2f}", *(decimals(v) for v in (
                p.consistent.precision, p.consistent.recall,
                p.inconsistent.precision, p.inconsistent.recall, p.accuracy)))
            for p in one
        ]  # fmt: skip
        heads = ("threshold", "P consistent", "R consistent", "P inconsistent", "R inconsistent",
                 "accuracy")  # fmt: skip
        print_table(f"{name}: precision and recall over thresholds", heads, rows)
    charts = [
        line_chart(
            f"{name}: precision and recall", "threshold", "share",
            [
                ChartLine("P consistent", [(p.threshold, p.consistent.precision) for p in one]),
                ChartLine("R consistent", [(p.threshold, p.consistent.recall) for p in one]),
                ChartLine("P inconsistent", [(p.threshold, p.inconsistent.precision) for p in one],
                          dashed=True),
                ChartLine("R inconsistent", [(p.threshold, p.inconsistent.recall) for p in one],
                          dashed=True),
            ],
        )
        for name, one in points.items()
    ]  # fmt: skip
    _write(reading.run.folder, "curve", list(points), charts)
    return body


def show_systems(reading: JudgedRun, *, as_json: bool, draws: int, seed: int) -> Any:
    """Spearman of simulated systems; the plot goes to RUN/systems.svg."""
    scores = _scores(reading)
    examples = [
        replace(e, consistent=is_consistent(e, reading.positive)) for e in reading.run.examples()
    ]
    simulated: dict[str, systems.SystemsResult] = {}
    apart: dict[str, systems.SystemsResult] = {}
    left_out: dict[str, int] = {}
    for name, mine in scores.items():
        pairs = systems.mixed_contexts(examples, mine)
        simulated[name] = systems.simulate(pairs, draws=draws, seed=seed)
        apart[name] = systems.simulate(pairs, draws=draws, seed=seed, shared=False)
        left_out[name] = pairs.left_out
    body = {
        name: {**asdict(one), "a_draw_for_each_system": asdict(apart[name])}
        for name, one in simulated.items()
    }
    if as_json:
        return body
    shares = [f"c = {share:.0%}" for share in systems.SHARES]
    rows = [
        (name, one.contexts, left_out[name], _spearman(apart[name]), _spearman(one),
         *(f"{s.mean:.3f}" for s in one.systems))
        for name, one in simulated.items()
    ]  # fmt: skip
    print_table(
        f"Simulated systems: {systems.CONTEXTS} contexts, {draws} draws, seed {seed}",
        ("metric", "contexts", "left out", "Spearman [95 %]: a draw for each system",
         "one draw for all", *shares), rows,
    )  # fmt: skip
    lines = [_band_line(name, one.systems) for name, one in simulated.items()]
    title = "Scores of simulated systems"
    chart = line_chart(title, "share of inconsistent responses", "system score", lines)
    _write(reading.run.folder, "systems", [""], [chart])
    return body


def _spearman(result: systems.SystemsResult) -> str:
    return f"{result.spearman:.4f} [{result.low:.3f}, {result.high:.3f}]"


def show_robustness(reading: JudgedRun, *, as_json: bool, draws: int, seed: int) -> Any:
    """Score against the share of inconsistent responses; the plot goes to RUN/robustness.svg."""
    curves = {}
    for name, (scores, labels) in _yes_no(reading).items():
        good, bad = scores[labels], scores[~labels]
        curves[name] = {
            kind: systems.robustness(good, bad, shares=shares, draws=draws, seed=seed)
            for kind, shares in (
                ("all", systems.ROBUSTNESS_SHARES),
                ("small", systems.ROBUSTNESS_SMALL_SHARES),
            )
        }
    body = {
        name: {kind: [asdict(s) for s in one] for kind, one in both.items()}
        for name, both in curves.items()
    }
    if as_json:
        return body
    for name, both in curves.items():
        for one in both.values():
            print_table(
                f"{name}: score by share of inconsistent responses "
                f"({systems.SENTENCES} sentences, {draws} draws, seed {seed})",
                ("share", "mean", "95 % low", "95 % high"),
                [(f"{s.share:.2f}", f"{s.mean:.3f}", f"{s.low:.3f}", f"{s.high:.3f}") for s in one],
            )
    lines = [_band_line(name, both["all"]) for name, both in curves.items()]
    title = "Score against the share of inconsistent responses"
    chart = line_chart(title, "share of inconsistent responses", "score", lines)
    _write(reading.run.folder, "robustness", [""], [chart])
    return body


def _band_line(name: str, points: tuple[systems.ShareScore, ...]) -> ChartLine:
    return ChartLine(
        name, [(s.share, s.mean) for s in points], [(s.share, s.low, s.high) for s in points]
    )


def _yes_no(reading: JudgedRun) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    arrays = {}
    by_metric = judged(reading.run, positive=reading.positive, abstained_as=reading.abstained_as)
    for name, one in by_metric.items():
        known = [n for n, label in enumerate(one.consistent) if label is not None]
        if known:
            scores = np.array([one.scores[n] for n in known], dtype=float)
            arrays[name] = (scores, np.array([one.consistent[n] for n in known], dtype=bool))
    if not arrays:
        raise UsageError(
            "The run has no human yes/no labels: give `consistent` in the input, or say with "
            "--positive which of its classes count as consistent."
        )
    return arrays


def _scores(reading: JudgedRun) -> dict[str, dict[str, float | None]]:
    scores: dict[str, dict[str, float | None]] = {name: {} for name in reading.run.signatures}
    for verdict in reading.run.verdicts():
        if verdict.metric not in scores:
            continue
        score = reading.abstained_as if verdict.score is None else verdict.score
        scores[verdict.metric][verdict.example_id] = score
    return scores


def _write(folder: Path, kind: str, names: list[str], charts: list[str]) -> None:
    for name, chart in zip(names, charts, strict=True):
        plain = "".join(c if c.isalnum() else "-" for c in name)
        path = folder / (f"{kind}-{plain}.svg" if plain else f"{kind}.svg")
        try:
            path.write_text(chart, encoding="utf-8")
        except OSError as error:
            raise RunError(f"{path} cannot be written: {error.strerror}.") from None
        note(f"plot: {path}")
