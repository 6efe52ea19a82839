"""What `staytrue agree` prints and draws for --curve, --systems and --robustness."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from staytrue.cli.terminal import note, print_table
from staytrue.core.errors import RunError
from staytrue.core.text import decimals
from staytrue.report.lines import line_chart
from staytrue.report.meta_evaluation import band_line, curve_lines
from staytrue.runs.folder import Run
from staytrue.studies.q2 import meta_evaluation, systems


@dataclass(frozen=True)
class JudgedRun:
    """A run, which human classes count as consistent, and what an abstention counts as."""

    run: Run
    positive: Collection[str] = ()
    abstained_as: float | None = None


def show_curve(reading: JudgedRun, *, as_json: bool) -> Any:
    """Precision and recall of both classes over thresholds; the plot goes to RUN/curve.svg."""
    points = meta_evaluation.curves(
        reading.run, positive=reading.positive, abstained_as=reading.abstained_as
    )
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
        line_chart(f"{name}: precision and recall", "threshold", "share", curve_lines(one))
        for name, one in points.items()
    ]
    _write(reading.run.folder, "curve", list(points), charts)
    return body


def show_systems(reading: JudgedRun, *, as_json: bool, draws: int, seed: int) -> Any:
    """Spearman of simulated systems; the plot goes to RUN/systems.svg."""
    simulated = meta_evaluation.simulated_systems(
        reading.run, draws=draws, seed=seed, positive=reading.positive,
        abstained_as=reading.abstained_as,
    )  # fmt: skip
    body = {
        name: {**asdict(one.shared), "a_draw_for_each_system": asdict(one.apart)}
        for name, one in simulated.items()
    }
    if as_json:
        return body
    shares = [f"c = {share:.0%}" for share in systems.SHARES]
    rows = [
        (name, one.shared.contexts, one.left_out, _spearman(one.apart), _spearman(one.shared),
         *(f"{s.mean:.3f}" for s in one.shared.systems))
        for name, one in simulated.items()
    ]  # fmt: skip
    print_table(
        f"Simulated systems: {systems.CONTEXTS} contexts, {draws} draws, seed {seed}",
        ("metric", "contexts", "left out", "Spearman [95 %]: a draw for each system",
         "one draw for all", *shares), rows,
    )  # fmt: skip
    lines = [band_line(name, one.shared.systems) for name, one in simulated.items()]
    title = "Scores of simulated systems"
    chart = line_chart(title, "share of inconsistent responses", "system score", lines)
    _write(reading.run.folder, "systems", [""], [chart])
    return body


def _spearman(result: systems.SystemsResult) -> str:
    return f"{result.spearman:.4f} [{result.low:.3f}, {result.high:.3f}]"


def show_robustness(reading: JudgedRun, *, as_json: bool, draws: int, seed: int) -> Any:
    """Score against the share of inconsistent responses; the plot goes to RUN/robustness.svg."""
    curves = meta_evaluation.robustness(
        reading.run, draws=draws, seed=seed, positive=reading.positive,
        abstained_as=reading.abstained_as,
    )  # fmt: skip
    body = {name: asdict(both) for name, both in curves.items()}
    if as_json:
        return body
    for name, both in curves.items():
        for one in (both.all, both.small):
            print_table(
                f"{name}: score by share of inconsistent responses "
                f"({systems.SENTENCES} sentences, {draws} draws, seed {seed})",
                ("share", "mean", "95 % low", "95 % high"),
                [(f"{s.share:.2f}", f"{s.mean:.3f}", f"{s.low:.3f}", f"{s.high:.3f}") for s in one],
            )
    lines = [band_line(name, both.all) for name, both in curves.items()]
    title = "Score against the share of inconsistent responses"
    chart = line_chart(title, "share of inconsistent responses", "score", lines)
    _write(reading.run.folder, "robustness", [""], [chart])
    return body


def _write(folder: Path, kind: str, names: list[str], charts: list[str]) -> None:
    for name, chart in zip(names, charts, strict=True):
        plain = "".join(c if c.isalnum() else "-" for c in name)
        path = folder / (f"{kind}-{plain}.svg" if plain else f"{kind}.svg")
        try:
            path.write_text(chart, encoding="utf-8")
        except OSError as error:
            raise RunError(f"{path} cannot be written: {error.strerror}.") from None
        note(f"plot: {path}")
