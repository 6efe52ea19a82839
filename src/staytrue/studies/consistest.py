"""What a judged set of probes tells: scores by source, kind and distance, and where yes/no fails.

Verdicts in, tables out (ConsisTest, Tables 5 to 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from staytrue.core.errors import UsageError
from staytrue.core.records import Example, Verdict
from staytrue.english.yes_no import truth_polarity
from staytrue.runs.folder import Run
from staytrue.stats import intervals
from staytrue.stats.clusters import cluster_of
from staytrue.stats.intervals import Interval

SOURCES = {
    "persona": ("persona",),
    "history": ("history", "history_extracted"),
    "  generated": ("history",),
    "  extracted": ("history_extracted",),
}
KINDS = ("wh", "yn")
# Rules that blame the short answer, or its disagreement with the long one.
_SHORT_ANSWER_RULES = (
    "short-answer-wrong", "parts-disagree", "released:yes-no-wrong", "released:short-wrong",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class JudgedProbe:
    """One judged answer, as far as the tables need it."""

    id: str
    source: str
    kind: str
    distance: int | None
    truth: str
    score: float
    rule: str
    variant: str = "standard"
    dialogue: str = ""
    """Probes of one dialogue are not independent."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A mean score with its interval."""

    mean: Interval
    count: int

    def __str__(self) -> str:
        return f"{self.mean} ({self.count:,})" if self.count else "–"


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """A row of the short/long-answer error table."""

    truth: str
    total: int
    wrong: int
    wrong_short: int
    """Wrong answers whose short answer is wrong or disagrees with the long one."""

    def cells(self) -> tuple[str, str, str, str]:
        """The row as the paper prints it; percentages are of the column before."""
        return (
            self.truth,
            f"{self.total:,}",
            f"{self.wrong:,} ({_percent(self.wrong, self.total)})",
            f"{self.wrong_short:,} ({_percent(self.wrong_short, self.wrong)})",
        )


def collect(
    examples: Iterable[Example], verdicts: Iterable[Verdict], metric: str
) -> list[JudgedProbe]:
    """Join examples that carry a probe with one metric's scores."""
    scored = {v.example_id: v for v in verdicts if v.metric == metric and v.score is not None}
    return [
        JudgedProbe(
            id=example.id,
            source=example.probe.source,
            kind=example.probe.kind,
            distance=example.probe.distance,
            truth=example.probe.truth,
            score=scored[example.id].score or 0.0,
            rule=scored[example.id].label or "",
            variant=example.tags.get("variant", "standard"),
            dialogue=cluster_of(example),
        )
        for example in examples
        if example.probe is not None and example.id in scored
    ]


def read_judged(run: Path, metric: str) -> list[JudgedProbe]:
    """The judged probes of a run."""
    opened = Run(run)
    if metric not in opened.signatures:
        known = ", ".join(opened.signatures)
        raise UsageError(f"The run {run} has no metric {metric}: choose --metric from {known}.")
    rows = collect(opened.examples(), opened.verdicts(), metric)
    if not rows:
        raise UsageError(f"The run {run} has no judged probes: make it with  staytrue probe.")
    return rows


def named_runs(runs: Sequence[Path]) -> dict[str, Path]:
    """Each run by its name in tables; runs of one bot are told apart by their folders."""
    named = {name_of(run): run for run in runs}
    return named if len(named) == len(runs) else {f"{name_of(run)} in {run}": run for run in runs}


def name_of(run: Path) -> str:
    """How a run is called in tables: its bot, and its variant if it has one."""
    settings = Run(run).manifest.get("settings", {})
    variant = settings.get("variant") or "standard"
    bot = str(settings.get("bot") or run.name)
    return bot if variant == "standard" else f"{bot} ({variant})"


def mean_of(rows: Sequence[JudgedProbe]) -> Cell:
    """Mean score with its interval, clustered by dialogue where probes share one."""
    interval = intervals.mean([row.score for row in rows], [row.dialogue for row in rows])
    return Cell(interval, len(rows))


def by_source_kind_distance(rows: Sequence[JudgedProbe]) -> list[list[str]]:
    """Rows of a table: source, distance, then WH, yes/no and both."""
    distances = sorted({row.distance for row in rows if row.distance is not None})
    table = [["all", "all", *_kind_cells(rows)]]
    for name, sources in SOURCES.items():
        of_source = [row for row in rows if row.source in sources]
        if not of_source:
            continue
        table.append([name, "all", *_kind_cells(of_source)])
        for distance in distances if not name.startswith(" ") else ():
            near = [row for row in of_source if row.distance == distance]
            table.append([name, str(distance), *_kind_cells(near)])
    return table


@dataclass(frozen=True, slots=True)
class Column:
    """A part of the probes that a picture shows."""

    name: str
    sources: tuple[str, ...] = ()
    """Empty: all."""
    kind: str | None = None
    distance: int | None = None
    """None: any."""

    def of(self, rows: Iterable[JudgedProbe]) -> list[JudgedProbe]:
        """The rows of this part."""
        return [
            row
            for row in rows
            if (not self.sources or row.source in self.sources)
            and self.kind in (None, row.kind)
            and self.distance in (None, row.distance)
        ]


def plot_columns(named: Iterable[Sequence[JudgedProbe]]) -> list[Column]:
    """All; persona and history by kind; each of these by distance, as far as there are probes."""
    rows = [row for judged in named for row in judged]
    distances = sorted({row.distance for row in rows if row.distance is not None})
    columns = [Column("all")]
    for source in ("persona", "history"):
        for kind, heading in zip(KINDS, ("WH", "Y/N"), strict=True):
            columns.append(Column(f"{source} {heading}", SOURCES[source], kind))
            columns += [
                Column(f"{source} {heading}, distance {distance}", SOURCES[source], kind, distance)
                for distance in distances
            ]
    return [column for column in columns if column.of(rows)]


def _kind_cells(rows: Sequence[JudgedProbe]) -> list[str]:
    parts = [[row for row in rows if row.kind == kind] for kind in KINDS]
    return [str(mean_of(part)) for part in (*parts, rows)]


def short_answer_errors(rows: Sequence[JudgedProbe], source: str = "persona") -> list[ErrorRow]:
    """Wrong yes/no answers by truth, and how many of them fail in the short answer (Table 7)."""
    return [_error_row(truth, _asked(rows, truth, source)) for truth in ("yes", "no", "all")]


def wrong_share(rows: Sequence[JudgedProbe], truth: str, source: str = "persona") -> Cell:
    """The share of wrong yes/no answers with this truth, with its interval."""
    probed = _asked(rows, truth, source)
    return mean_of([replace(row, score=float(row.score < 0.5)) for row in probed])


def _asked(rows: Sequence[JudgedProbe], truth: str, source: str) -> list[JudgedProbe]:
    return [
        row
        for row in rows
        if row.kind == "yn"
        and row.source in SOURCES[source]
        and (truth == "all" or (truth_polarity(row.truth) is False) == (truth == "no"))
    ]


def _error_row(truth: str, rows: Sequence[JudgedProbe]) -> ErrorRow:
    wrong = [row for row in rows if row.score < 0.5]
    short = [row for row in wrong if row.rule in _SHORT_ANSWER_RULES]
    return ErrorRow(truth, len(rows), len(wrong), len(short))


def side_by_side(
    named: Mapping[str, Sequence[JudgedProbe]],
) -> list[tuple[str, list[Cell]]]:
    """Each name's scores: all, persona WH and yes/no, history WH and yes/no (Tables 5 and 6)."""
    return [
        (
            name,
            [
                mean_of(rows),
                *(
                    mean_of(
                        [r for r in rows if r.kind == kind and r.source in SOURCES[source]],
                    )
                    for source in ("persona", "history")
                    for kind in KINDS
                ),
            ],
        )
        for name, rows in named.items()
    ]


SIDE_BY_SIDE_COLUMNS = ("all", "persona WH", "persona Y/N", "history WH", "history Y/N")


def paired_difference(first: Sequence[JudgedProbe], second: Sequence[JudgedProbe]) -> Cell:
    """Mean difference over the probes that both answered, with its interval."""
    others = {row.id.removesuffix(f"-{row.variant}"): row.score for row in second}
    gaps = [
        (row.score - others[key], row.dialogue)
        for row in first
        if (key := row.id.removesuffix(f"-{row.variant}")) in others
    ]
    interval = intervals.mean(
        [gap for gap, _ in gaps], [dialogue for _, dialogue in gaps], bounds=(-1.0, 1.0)
    )
    return Cell(interval, len(gaps))


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "–"
