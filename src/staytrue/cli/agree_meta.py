"""What `staytrue agree` prints and draws for --curve, --systems and --robustness."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np

from staytrue.agree import systems
from staytrue.agree.agreement import judged
from staytrue.agree.curve import curve
from staytrue.agree.lines import Line, line_chart
from staytrue.cli.terminal import note, print_table
from staytrue.errors import RunError, UsageError
from staytrue.store import Run


def show_curve(run: Run, *, as_json: bool, abstained_as: float | None) -> None:
    """Precision and recall of both classes over thresholds; the plot goes to RUN/curve.svg."""
    points = {}
    for name, (scores, labels) in _yes_no(run, abstained_as).items():
        points[name] = curve(scores, labels)
    if _as_json(as_json, {name: [asdict(p) for p in one] for name, one in points.items()}):
        return
    for name, one in points.items():
        rows = [
            (f"{p.threshold:.2f}", *(_shown(v) for v in (
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
                Line("P consistent", [(p.threshold, p.consistent.precision) for p in one]),
                Line("R consistent", [(p.threshold, p.consistent.recall) for p in one]),
                Line("P inconsistent", [(p.threshold, p.inconsistent.precision) for p in one],
                     dashed=True),
                Line("R inconsistent", [(p.threshold, p.inconsistent.recall) for p in one],
                     dashed=True),
            ],
        )
        for name, one in points.items()
    ]  # fmt: skip
    _write(run.folder, "curve", list(points), charts)


def show_systems(
    run: Run, *, as_json: bool, abstained_as: float | None, draws: int, seed: int
) -> None:
    """Spearman of simulated systems; the plot goes to RUN/systems.svg."""
    scores = _scores(run, abstained_as)
    found: dict[str, systems.SystemsResult] = {}
    left_out: dict[str, int] = {}
    for name, mine in scores.items():
        pairs = systems.mixed_contexts(run.examples(), mine)
        found[name] = systems.simulate(pairs, draws=draws, seed=seed)
        left_out[name] = pairs.left_out
    if _as_json(as_json, {name: asdict(one) for name, one in found.items()}):
        return
    shares = [f"c = {share:.0%}" for share in systems.SHARES]
    rows = [
        (name, one.contexts, left_out[name], f"{one.spearman:.4f} [{one.low:.3f}, {one.high:.3f}]",
         *(f"{s.mean:.3f}" for s in one.systems))
        for name, one in found.items()
    ]  # fmt: skip
    print_table(
        f"Simulated systems: {systems.CONTEXTS} contexts, {draws} draws, seed {seed}",
        ("metric", "contexts", "left out", "Spearman [95 %]", *shares), rows,
    )  # fmt: skip
    lines = [_band_line(name, one.systems) for name, one in found.items()]
    title = "Scores of simulated systems"
    chart = line_chart(title, "share of inconsistent responses", "system score", lines)
    _write(run.folder, "systems", [""], [chart])


def show_robustness(
    run: Run, *, as_json: bool, abstained_as: float | None, draws: int, seed: int
) -> None:
    """Score against the share of inconsistent responses; the plot goes to RUN/robustness.svg."""
    found = {}
    for name, (scores, labels) in _yes_no(run, abstained_as).items():
        good, bad = scores[labels], scores[~labels]
        found[name] = {
            kind: systems.robustness(good, bad, shares=shares, draws=draws, seed=seed)
            for kind, shares in (
                ("all", systems.ROBUSTNESS_SHARES),
                ("small", systems.ROBUSTNESS_SMALL_SHARES),
            )
        }
    body = {
        name: {kind: [asdict(s) for s in one] for kind, one in both.items()}
        for name, both in found.items()
    }
    if _as_json(as_json, body):
        return
    for name, both in found.items():
        for one in both.values():
            print_table(
                f"{name}: score by share of inconsistent responses "
                f"({systems.SENTENCES} sentences, {draws} draws, seed {seed})",
                ("share", "mean", "95 % low", "95 % high"),
                [(f"{s.share:.2f}", f"{s.mean:.3f}", f"{s.low:.3f}", f"{s.high:.3f}") for s in one],
            )
    lines = [_band_line(name, both["all"]) for name, both in found.items()]
    title = "Score against the share of inconsistent responses"
    chart = line_chart(title, "share of inconsistent responses", "score", lines)
    _write(run.folder, "robustness", [""], [chart])


def _band_line(name: str, points: tuple[systems.ShareScore, ...]) -> Line:
    return Line(
        name, [(s.share, s.mean) for s in points], [(s.share, s.low, s.high) for s in points]
    )


def _yes_no(run: Run, abstained_as: float | None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    arrays = {}
    for name, one in judged(run, abstained_as=abstained_as).items():
        known = [n for n, label in enumerate(one.consistent) if label is not None]
        if known:
            scores = np.array([one.scores[n] for n in known], dtype=float)
            arrays[name] = (scores, np.array([one.consistent[n] for n in known], dtype=bool))
    if not arrays:
        raise UsageError("The run has no human yes/no labels: give `consistent` in the input.")
    return arrays


def _scores(run: Run, abstained_as: float | None) -> dict[str, dict[str, float | None]]:
    scores: dict[str, dict[str, float | None]] = {name: {} for name in run.signatures}
    for verdict in run.verdicts():
        score = abstained_as if verdict.score is None else verdict.score
        scores[verdict.metric][verdict.example_id] = score
    return scores


def _as_json(wanted: bool, body: Any) -> bool:
    if wanted:
        click.echo(json.dumps(body, indent=2))
    return wanted


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _write(folder: Path, kind: str, names: list[str], charts: list[str]) -> None:
    for name, chart in zip(names, charts, strict=True):
        plain = "".join(c if c.isalnum() else "-" for c in name)
        path = folder / (f"{kind}-{plain}.svg" if plain else f"{kind}.svg")
        try:
            path.write_text(chart, encoding="utf-8")
        except OSError as error:
            raise RunError(f"{path} cannot be written: {error.strerror}.") from None
        note(f"plot: {path}")
