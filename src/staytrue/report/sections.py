"""What stands above the examples: one section for each thing that the run can show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from staytrue.core.text import counted, decimals
from staytrue.report import charts, figures
from staytrue.report.run_view import MetricView, RunView
from staytrue.stats.intervals import Interval, why_not_clustered
from staytrue.studies.aih.records import RankedBot, Stability


@dataclass(frozen=True)
class Figure:
    """A picture with a caption."""

    picture: Markup
    caption: str
    keys: list[tuple[str, str]] = field(default_factory=list)
    """Class and name of each colour in the picture."""


@dataclass(frozen=True)
class Table:
    """A plain table; the first column names the row."""

    head: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Section:
    """One heading of the report with its pictures and table."""

    id: str
    title: str
    lead: str
    figures: list[Figure] = field(default_factory=list)
    table: Table | None = None


@dataclass(frozen=True)
class Headline:
    """One metric in the first table."""

    metric: MetricView
    mean: Interval
    documents: int
    """Dialogues or documents that the scored responses come from."""
    whisker: Markup
    failed: int
    area: Interval
    """ROC-AUC against people; its value is None without their judgements."""
    accuracy: Interval


def headlines(view: RunView) -> list[Headline]:
    """Every metric with its mean and its agreement with people."""
    return [_headline(view, metric) for metric in view.metrics]


def _headline(view: RunView, metric: MetricView) -> Headline:
    mean, judged = figures.mean_of(view, metric), figures.labelled(view, metric)
    whisker = Markup("") if mean.value is None else charts.whisker(mean)
    missing = view.total - mean.n - metric.abstained
    documents = len({view.groups[n] for n, score in enumerate(metric.scores) if score is not None})
    return Headline(metric, mean, documents, whisker, missing, judged.area(), judged.accuracy())


def about_intervals(headlines_shown: Sequence[Headline]) -> str:
    """How the intervals were made, in one sentence."""
    counts = {one.mean.clusters for one in headlines_shown if one.mean.clusters is not None}
    if not counts:
        whys = (why_not_clustered(one.mean.n, one.documents) for one in headlines_shown)
        why = next(filter(None, whys), "responses count as independent")
        return f"Intervals are Wilson's at 95 %; {why}."
    return (
        f"Intervals are Wilson's at 95 %, clustered: the responses come from {max(counts):,} "
        "dialogues or documents, and those of the same one are not independent."
    )


def sections(view: RunView) -> list[Section]:
    """The sections that this run has something for."""
    makers: tuple[Callable[[RunView], Section | None], ...] = (
        _ranking, _differences, _stability, _distributions, _probes, _agreement, _reliability,
        _graded, _confusions, _pairs,
    )  # fmt: skip
    return [section for maker in makers if (section := maker(view)) is not None]


def _distributions(view: RunView) -> Section | None:
    truth = view.consistent
    judged = any(label is not None for label in truth)
    drawings = []
    for metric in view.metrics:
        scores = figures.scored(metric)
        if not scores:
            continue
        parts = _parts(metric, truth) if judged else [("all", figures.histogram(scores))]
        drawings.append(Figure(charts.distribution(metric.name, parts), metric.name))
    if not drawings:
        return None
    keys = [("yes", "people: consistent"), ("no", "people: inconsistent")]
    if any(label is None for label in truth):
        keys.append(("plain", "not judged"))
    lead = "How many responses got each score; 1 is consistent."
    if judged:
        drawings[0] = Figure(drawings[0].picture, drawings[0].caption, keys)
    return Section("distributions", "Scores", lead, drawings)


def _parts(metric: MetricView, truth: Sequence[bool | None]) -> list[tuple[str, list[int]]]:
    groups: dict[bool | None, list[float]] = {False: [], True: [], None: []}
    for score, label in zip(metric.scores, truth, strict=True):
        if score is not None:
            groups[label].append(score)
    named: list[tuple[str, bool | None]] = [("no", False), ("yes", True), ("plain", None)]
    return [(class_, figures.histogram(groups[key])) for class_, key in named]


def _agreement(view: RunView) -> Section | None:
    rocs: list[figures.Curve] = []
    consistent: list[figures.Curve] = []
    inconsistent: list[figures.Curve] = []
    for metric in view.metrics:
        judged = figures.labelled(view, metric)
        curve = figures.roc(metric.name, judged)
        if curve is None:
            continue
        rocs.append(curve)
        for of, curves_of in ((True, consistent), (False, inconsistent)):
            curve = figures.precision_recall(metric.name, judged, of=of)
            if curve is not None:
                curves_of.append(curve)
    if not rocs:
        return None
    plots = (
        ("ROC", "false alarms", "hits", rocs, True),
        ("Consistent responses", "recall", "precision", consistent, False),
        ("Inconsistent responses", "recall", "precision", inconsistent, False),
    )
    return Section(
        "agreement", "Agreement with people",
        "Each curve runs over all thresholds of one metric; the legend gives the area under it.",
        [
            Figure(charts.curves(name, x, y, curves, chance=chance), name, _curve_keys(curves))
            for name, x, y, curves, chance in plots
        ],
    )  # fmt: skip


def _reliability(view: RunView) -> Section | None:
    """The first metric's: by kind of data there are enough pictures of one."""
    diagrams = figures.reliability(view, view.metrics[0]) if view.metrics else []
    if not diagrams:
        return None
    drawings = [
        Figure(charts.reliability(one), f"{one.kind}: score and share are {one.error:.3f} apart")
        for one in diagrams
    ]
    lead = (
        f"What a score of {view.metrics[0].name} means: the share of responses with such a score "
        "that people call consistent, with 95 % intervals. Above the diagonal scores are too low, "
        "below it too high."
    )
    return Section("reliability", "Reliability", lead, drawings)


def _graded(view: RunView) -> Section | None:
    if all(rating is None for rating in view.ratings):
        return None
    rows = []
    for metric in view.metrics:
        count, spearman, pearson = figures.graded(view, metric)
        if count > 1:
            rows.append([metric.name, f"{count:,}", str(spearman), str(pearson)])
    if not rows:
        return None
    table = Table(["metric", "examples", "Spearman [95 %]", "Pearson [95 %]"], rows)
    lead = "Correlation of each metric with the ratings that people gave."
    return Section("graded", "Agreement with ratings", lead, table=table)


def _curve_keys(curves: Sequence[figures.Curve]) -> list[tuple[str, str]]:
    return [
        (f"series{i % 6}", f"{curve.metric} {curve.area:.3f}")
        for i, curve in enumerate(curves)
        if curve.area is not None
    ]


def _confusions(view: RunView) -> Section | None:
    matrices = [figures.confusion(view, metric) for metric in view.metrics]
    confusions = [one for one in matrices if one is not None]
    if not confusions:
        return None
    drawings = [
        Figure(charts.confusion_matrix(one), f"{one.metric}: {one.accuracy:.1%} the same label")
        for one in confusions
    ]
    lead = "Rows are what people said, columns what the metric said; shade is the share of the row."
    return Section("labels", "Labels", lead, drawings)


def _pairs(view: RunView) -> Section | None:
    if len(view.metrics) < 2:
        return None
    first, *others = view.metrics
    grids = [figures.grid(other, first) for other in others]
    drawings = [
        Figure(
            charts.density(one),
            f"Spearman {_plain(one.spearman)} over {counted(one.both, 'example')}",
        )
        for one in grids
        if one is not None
    ]
    lead = "Where two metrics agree, most responses lie on the diagonal."
    return Section("metrics-paired", "Metric against metric", lead, drawings) if drawings else None


def _probes(view: RunView) -> Section | None:
    intervals = {metric.name: figures.by_probe(view, metric) for metric in view.metrics}
    groups = sorted({group for cells in intervals.values() for group in cells})
    if len(groups) < 2:
        return None
    table = Table(
        ["source", "kind", *intervals],
        [
            [
                source or "–",
                kind or "–",
                *(_cell(by.get((source, kind))) for by in intervals.values()),
            ]
            for source, kind in groups
        ],
    )
    lead = "Mean score by source of the fact and kind of question, with its 95 % interval."
    return Section("probes", "Source and kind of question", lead, table=table)


def _cell(interval: Interval | None) -> str:
    if interval is None:
        return "–"
    return f"{interval}, n {interval.n:,}"


def _plain(value: float | None) -> str:
    return "not defined" if value is None else decimals(value)


def _ranking(view: RunView) -> Section | None:
    if view.ranking is None or not view.ranking.bots:
        return None
    bots = view.ranking.bots
    drawings = _rates_figure({bot.bot: _rate(bot) for bot in bots})
    if view.ranking.matrix:
        matrix = _matrix(view.ranking.matrix, [bot.bot for bot in bots])
        drawings.append(Figure(matrix, "Who contradicts itself when talking to whom."))
    rows = [
        [f"{bot.rank or '–'}", bot.bot, _plain(bot.contradiction_rate), f"{bot.inquiries:,}",
         f"{bot.contradictions:,}", _plain(bot.inquiries_per_dialogue),
         _plain(bot.statements_per_turn), _plain(bot.induces)]
        for bot in bots
    ]  # fmt: skip
    table = Table(
        ["rank", "bot", "contradictions per inquiry", "inquiries", "contradictions",
         "inquiries per dialogue", "statements per turn", "induces"],
        rows,
    )  # fmt: skip
    lead = "Bots ranked by how rarely they contradict themselves."
    if len(bots) > 1:
        lead += f" {view.ranking.how_rated}"
    unranked = [f"{bot.bot} has {bot.unranked}." for bot in bots if bot.unranked]
    return Section("ranking", "Ranking", " ".join([lead, *unranked]), drawings, table)


def _differences(view: RunView) -> Section | None:
    differences = view.ranking.differences if view.ranking else ()
    if not differences:
        return None
    p_values = [one.p if one.p_holm is None else one.p_holm for one in differences]
    table = Table(
        ["bot", "against", "difference [95 %]", "p (Holm)", "differ"],
        [
            [one.a, one.b, str(Interval(one.difference, one.low, one.high)), f"{p:.4f}",
             "yes" if p < 0.05 else "not shown"]
            for one, p in zip(differences, p_values, strict=True)
        ],
    )  # fmt: skip
    lead = "Whether two bots differ."
    if len(differences) > 1:
        lead += (
            f" The p-values of the {len(differences)} comparisons are corrected by Holm's method, "
            "so that equal bots are rarely called different."
        )
    return Section("differences", "Which bots differ", lead, table=table)


def _rates_figure(rates: Mapping[str, Interval | None]) -> list[Figure]:
    """Rates with their intervals; a bot that was never asked has none, which is not a zero."""
    drawn = [(name, rate) for name, rate in rates.items() if rate is not None]
    if not drawn:
        return []
    top = max(0.1, *(rate.ends[1] for _, rate in drawn))
    picture = charts.forest("Contradiction rate", drawn, top_value=_rounded_up(top))
    caption = "Contradictions per inquiry with 95 % intervals; lower is better."
    silent = [name for name, rate in rates.items() if rate is None]
    if silent:
        caption += f" Not drawn, as no inquiry could be made: {', '.join(silent)}."
    return [Figure(picture, caption)]


def _rate(bot: RankedBot) -> Interval | None:
    rate = bot.contradiction_rate
    if rate is None:
        return None
    return Interval(rate, bot.low, bot.high, bot.inquiries)


def _rounded_up(value: float) -> float:
    return min(1.0, (int(value * 10) + 1) / 10)


def _matrix(rates: Mapping[str, Mapping[str, float | None]], bots: Sequence[str]) -> Markup:
    """The matrix as a heat map; `rates[i][j]` is the rate of bot j when bot i talks to it."""
    values = [[rates.get(i, {}).get(j) for j in bots] for i in bots]
    cells = [["" if value is None else f"{value:.2f}" for value in row] for row in values]
    rows = [f"{rank}  {bot}" for rank, bot in enumerate(bots, 1)]
    columns = [str(rank) for rank in range(1, len(bots) + 1)]
    return charts.heat_map(
        "Contradiction rates", rows, columns, values, cells,
        row_name="partner", column_name="judged bot, by rank",
    )  # fmt: skip


def _stability(view: RunView) -> Section | None:
    if view.ranking is None or not view.ranking.stability:
        return None
    curves = view.ranking.stability
    lines = [
        (curve.name, [(float(size), s) for size, s in zip(curve.sizes, curve.shares, strict=True)])
        for curve in curves
    ]
    keys = [(f"series{i % 6}", name) for i, (name, _) in enumerate(lines)]
    picture = charts.steps("Ranking stability", "dialogues per pair", lines)
    return Section("stability", "Ranking stability",
                   "How many dialogues a pair of bots needs before the order is stable.",
                   [Figure(picture, _needed(curves[0]), keys)])  # fmt: skip


def _needed(curve: Stability) -> str:
    lead = "Share of draws that give the full ranking; the dashed line is 95 %."
    if curve.needed is None:
        return f"{lead} Dialogues per pair that all bots need: {curve.reason or 'more'}."
    return f"{lead} {curve.needed} dialogues per pair are enough for all bots."
