"""`staytrue agree RUN`: agreement with the human judgements in a run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from staytrue.cli.terminal import print_table
from staytrue.core.text import decimals
from staytrue.runs.folder import Run

if TYPE_CHECKING:
    from staytrue.studies.agreement import Agreement
    from staytrue.studies.judges import Pairing


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--with",
    "others",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Another run over the same examples, such as an LLM judge's: its metrics join the tables.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@click.option(
    "--paired",
    nargs=2,
    multiple=True,
    metavar="A B",
    help="Test whether metric A beats metric B; repeat it for several tests, with correction.",
)
@click.option(
    "--positive", metavar="LABEL,…", default="", help="Human classes that count as consistent."
)
@click.option(
    "--abstained-as", type=click.FloatRange(0, 1), help="Count abstentions as this score."
)
@click.option("--curve", is_flag=True, help="Precision and recall of both classes over thresholds.")
@click.option("--systems", is_flag=True, help="Rank simulated systems of known quality.")
@click.option("--robustness", is_flag=True, help="Score by the share of inconsistent responses.")
@click.option("--draws", type=click.IntRange(10), default=1000, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True)
def command(
    run: Path,
    others: tuple[Path, ...],
    as_json: bool,
    paired: tuple[tuple[str, str], ...],
    positive: str,
    abstained_as: float | None,
    curve: bool,
    systems: bool,
    robustness: bool,
    draws: int,
    seed: int,
) -> None:
    """Compare verdicts with human labels: ROC-AUC, accuracy, precision, recall, correlations.

    Every figure has a 95 % interval; rows of one dialogue or document are clustered.
    """
    from staytrue.studies import agreement as figures
    from staytrue.studies.judges import JoinedRuns, pairings

    labels = {label.strip() for label in positive.split(",") if label.strip()}
    opened = Run(run)
    if others:
        opened = JoinedRuns(opened, [Run(other) for other in others])
    if curve or systems or robustness:
        from staytrue.cli import agree_meta

        reading = agree_meta.JudgedRun(opened, labels, abstained_as)
        shown: dict[str, Any] = {}
        if curve:
            shown["curve"] = agree_meta.show_curve(reading, as_json=as_json)
        for wanted, name, show in (
            (systems, "systems", agree_meta.show_systems),
            (robustness, "robustness", agree_meta.show_robustness),
        ):
            if wanted:
                shown[name] = show(reading, as_json=as_json, draws=draws, seed=seed)
        if as_json:  # one document, whatever was asked for; a single figure stands alone
            body = shown if len(shown) > 1 else next(iter(shown.values()))
            click.echo(json.dumps(body, indent=2))
        return
    if paired:
        _print_paired(
            figures.paired_tests(
                opened, paired, seed=seed, draws=draws, positive=labels, abstained_as=abstained_as
            ),
            as_json,
        )
        return
    agreements = figures.agreement(
        opened, seed=seed, draws=draws, positive=labels, abstained_as=abstained_as
    )
    pairs = pairings(opened, positive=labels, abstained_as=abstained_as) if others else []
    if as_json:
        metrics = {name: one.to_json() for name, one in agreements.items()}
        body = {"seed": seed, "draws": draws, "metrics": metrics}
        if pairs:
            body["pairs"] = _plain(pairs)
        click.echo(json.dumps(body, indent=2))
        return
    _print_yes_no(agreements)
    _print_classes(agreements)
    _print_ratings(agreements)
    _print_pairs(pairs)
    for one in agreements.values():
        click.echo(f"signature: {one.signature}")
    for line in _about_intervals(agreements, draws, seed):
        click.echo(line)


def _print_pairs(pairs: Sequence[Pairing]) -> None:
    if not pairs:
        return
    rows = [
        (one.a, one.b, one.n, one.roc_auc or "–", one.same or "–", decimals(one.kappa),
         decimals(one.spearman))
        for one in pairs
    ]  # fmt: skip
    columns = ("A", "B", "n", "ROC-AUC", "same side of 0.5", "Cohen's κ", "Spearman")
    print_table("Agreement with people, and of the metrics with one another", columns, rows)


def _print_yes_no(agreements: dict[str, Agreement]) -> None:
    rows, sides = [], []
    for name, one in agreements.items():
        if one.yes_no is None:
            continue
        y = one.yes_no
        best = f"{y.accuracy_at_best} at {y.best_threshold:.3f}"
        areas = y.roc_auc, y.average_precision, y.average_precision_inconsistent
        rows.append((name, y.n, one.abstained, *areas, y.accuracy_at_half, best))
        for side, of in (("consistent", y.consistent), ("inconsistent", y.inconsistent)):
            sides.append((name, side, of.precision, of.recall, of.f1))
    if rows:
        columns = (
            "metric", "n", "abstained", "ROC-AUC", "PR-AUC consistent", "PR-AUC inconsistent",
            "accuracy at 0.5", "at the best threshold, cross-validated",
        )  # fmt: skip
        print_table("Agreement with human yes/no labels", columns, rows)
        print_table("At threshold 0.5", ("metric", "class", "precision", "recall", "F1"), sides)


def _print_classes(agreements: dict[str, Agreement]) -> None:
    rows = [
        (name, c.n, one.abstained, c.accuracy, c.macro_f1)
        for name, one in agreements.items()
        if (c := one.classes)
    ]
    if rows:
        columns = ("metric", "n", "abstained", "accuracy", "macro-F1")
        print_table("Agreement with human classes", columns, rows)


def _print_ratings(agreements: dict[str, Agreement]) -> None:
    rows = [
        (name, g.n, one.abstained, g.spearman, g.pearson, g.mse or "–")
        for name, one in agreements.items()
        if (g := one.graded)
    ]
    if rows:
        columns = ("metric", "n", "abstained", "Spearman", "Pearson", "mean squared error")
        some = len(columns) - all(row[-1] == "–" for row in rows)  # without an empty column
        print_table("Agreement with human ratings", columns[:some], [row[:some] for row in rows])


def _about_intervals(agreements: dict[str, Agreement], draws: int, seed: int) -> Iterator[str]:
    from staytrue.stats.intervals import why_not_clustered

    either = [one.yes_no or one.graded or one.classes for one in agreements.values()]
    groups = [group for group in either if group]
    figures = [value for group in groups for value in vars(group).values()]
    counts = [n for figure in figures if (n := getattr(figure, "clusters", None)) is not None]
    clustered = f", clustered by {max(counts):,} dialogues or documents" if counts else ""
    yield (
        f"intervals: 95 %{clustered}; Wilson for shares and ROC-AUC, else BCa bootstrap with "
        f"{draws} draws, seed {seed}"
    )
    whys = (why_not_clustered(group.n, group.documents) for group in groups)
    yield from dict.fromkeys(why for why in whys if why)


def _print_paired(tests: list[Any], as_json: bool) -> None:
    if as_json:
        bodies = [
            {"figure": t.figure, "n": t.n, "metrics": (t.a, t.b), "test": _plain(t.test),
             "p_corrected": t.p, "williams": _plain(t.williams)}
            for t in tests
        ]  # fmt: skip
        click.echo(json.dumps(bodies[0] if len(bodies) == 1 else bodies, indent=2))
        return
    corrected = "p (Holm)" if len(tests) > 1 else "p"
    rows = [
        (t.a, t.b, t.n, t.figure, f"{t.test.a:.3f}", f"{t.test.b:.3f}", t.test.difference,
         f"{t.test.p_bootstrap:.4f}", f"{t.test.p_randomisation:.4f}", f"{t.p:.4f}")
        for t in tests
        if t.test is not None
    ]  # fmt: skip
    heads = ("A", "B", "n", "figure", "of A", "of B", "A − B [95 %]", "p (bootstrap)",
             "p (randomisation)", corrected)  # fmt: skip
    if rows:
        columns = heads if len(tests) > 1 else heads[:-1]
        print_table("On the examples that both scored", columns, [r[: len(columns)] for r in rows])
    for t in tests:
        if t.test is None:
            click.echo(
                f"{t.figure} of {t.a} and {t.b} cannot be computed: the {t.n} examples have one "
                "class only, or a metric gives all of them the same score."
            )
        if t.williams is not None:
            w = t.williams
            click.echo(
                f"Williams' test of the linear correlations of {t.a} ({w.r_a:.3f}) and {t.b} "
                f"({w.r_b:.3f}) with the ratings: t = {w.t:.2f}, p = {w.p:.4f}, n = {w.n}"
            )


def _plain(value: Any) -> Any:
    """JSON values only: records become dicts."""
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
