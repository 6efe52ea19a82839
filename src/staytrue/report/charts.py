"""The page's pictures: numbers in, inline SVG out."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from staytrue.report import svg
from staytrue.report.figures import BINS, Confusion, Curve, Grid, Reliability
from staytrue.stats.intervals import Interval

_LEVELS = 8  # shades of a heat map, the classes heat0 … heat8
_SERIES = 6  # colours of lines, the classes series0 … series5


def distribution(title: str, parts: Sequence[tuple[str, Sequence[int]]]) -> Markup:
    """Stacked bars of score counts; each part is a class (`yes`, `no`, `all`) and its bins."""
    width, height, left, bottom, top = 320.0, 150.0, 8.0, 22.0, 8.0
    step = (width - 2 * left) / BINS
    tallest = max((sum(bins[i] for _, bins in parts) for i in range(BINS)), default=0) or 1
    scale = (height - bottom - top) / tallest
    drawn: list[Markup] = []
    for i in range(BINS):
        base = height - bottom
        for class_, bins in parts:
            tall = bins[i] * scale
            hint = f"{i / BINS:.2f}–{(i + 1) / BINS:.2f}: {bins[i]:,}"
            if bins[i]:
                drawn.append(
                    svg.box(left + i * step + 0.75, base - tall, step - 1.5, tall, class_, hint)
                )
            base -= tall
    drawn.append(svg.line(left, height - bottom, width - left, height - bottom))
    for tick in (0, 0.5, 1):
        x = left + tick * (width - 2 * left)
        drawn.append(svg.text(x, height - 6, tick, text_anchor=_anchor(tick)))
    return svg.picture(width, height, title, *drawn)


def whisker(interval: Interval, class_: str = "all") -> Markup:
    """A mean on the line from 0 to 1, with its interval."""
    width, middle = 320.0, 9.0

    def x(value: float) -> float:
        return 4 + value * (width - 8)

    value, (low, high) = interval.value or 0.0, interval.ends
    return svg.picture(
        width, 18, f"{value:.3f}, between {low:.3f} and {high:.3f}",
        svg.line(x(0), middle, x(1), middle, "rail"),
        svg.box(x(low), middle - 5, x(high) - x(low), 10, "range", rx=3),
        svg.element("circle", cx=x(value), cy=middle, r=5, class_=f"dot {class_}"),
    )  # fmt: skip


_SIDE, _LEFT, _BOTTOM, _TOP = 250.0, 46.0, 34.0, 8.0  # of the unit square


def _at(point: tuple[float, float]) -> tuple[float, float]:
    return _LEFT + point[0] * _SIDE, _TOP + (1 - point[1]) * _SIDE


def reliability(diagram: Reliability) -> Markup:
    """The share that people call consistent over the score; on the diagonal a score is a share."""
    drawn = []
    for one in diagram.bins:
        low, high = one.consistent.ends
        hint = f"score {one.low:.1f}–{one.high:.1f}: {one.consistent}, n {one.consistent.n:,}"
        (x, upper), (_, lower) = _at((one.mean, high)), _at((one.mean, low))
        drawn.append(svg.box(x - 4, upper, 8, lower - upper, "range", hint, rx=3))
        y = _at((one.mean, one.consistent.value or 0.0))[1]
        drawn.append(svg.element("circle", cx=x, cy=y, r=5, class_="dot all"))
    curve = Curve("", [(one.mean, one.consistent.value or 0.0) for one in diagram.bins], None)
    return curves(
        f"Reliability, {diagram.kind}",
        "score",
        "share consistent",
        [curve],
        chance=True,
        marks=drawn,
    )


def curves(
    title: str, x_name: str, y_name: str, lines: Sequence[Curve], *, chance: bool,
    marks: Sequence[Markup] = (),
) -> Markup:  # fmt: skip
    """Curves in the unit square; `chance` draws the diagonal, `marks` lie above all."""
    side, left, bottom, top, at = _SIDE, _LEFT, _BOTTOM, _TOP, _at
    drawn = [svg.box(left, top, side, side, "plate")]
    for tick in (0, 0.25, 0.5, 0.75, 1):
        x, y = at((tick, tick))
        drawn.append(svg.line(left, y, left + side, y, "grid"))
        drawn.append(svg.line(x, top, x, top + side, "grid"))
        drawn.append(svg.text(left - 5, y + 4, f"{tick:g}", text_anchor="end"))
        drawn.append(svg.text(x, top + side + 14, f"{tick:g}", text_anchor="middle"))
    if chance:
        drawn.append(svg.path([at((0, 0)), at((1, 1))], "chance"))
    for i, curve in enumerate(lines):
        drawn.append(svg.path([at(p) for p in curve.points], f"line series{i % _SERIES}"))
    drawn += marks
    drawn.append(svg.text(left + side / 2, top + side + 29, x_name, "name", text_anchor="middle"))
    middle = top + side / 2
    drawn.append(
        svg.text(10, middle, y_name, "name", text_anchor="middle",
                 transform=f"rotate(-90 10 {middle:g})")
    )  # fmt: skip
    return svg.picture(left + side + 8, top + side + bottom, title, *drawn)


def density(grid: Grid) -> Markup:
    """Where two metrics' scores fall together, darker for more examples."""
    side, left, bottom, top = 200.0, 46.0, 34.0, 6.0
    cell = side / BINS
    most = max(max(row) for row in grid.counts) or 1
    drawn = [svg.box(left, top, side, side, "plate")]
    for up, row in enumerate(grid.counts):
        for along, count in enumerate(row):
            if count:
                hint = f"{grid.x} {(along + 0.5) / BINS:.2f}, {grid.y} {(up + 0.5) / BINS:.2f}: "
                shade = _shade((count / most) ** 0.5)  # a few crowded cells must not hide the rest
                drawn.append(
                    svg.box(left + along * cell, top + side - (up + 1) * cell, cell, cell, shade,
                            f"{hint}{count:,}")
                )  # fmt: skip
    for tick in (0, 0.5, 1):
        x, y = left + tick * side, top + (1 - tick) * side
        drawn.append(svg.text(left - 5, y + 4, f"{tick:g}", text_anchor="end"))
        drawn.append(svg.text(x, top + side + 14, f"{tick:g}", text_anchor="middle"))
    drawn.append(svg.text(left + side / 2, top + side + 29, grid.x, "name", text_anchor="middle"))
    middle = top + side / 2
    drawn.append(
        svg.text(10, middle, grid.y, "name", text_anchor="middle",
                 transform=f"rotate(-90 10 {middle:g})")
    )  # fmt: skip
    return svg.picture(left + side + 8, top + side + bottom, f"{grid.x} and {grid.y}", *drawn)


def confusion_matrix(confusion: Confusion) -> Markup:
    """Human labels as rows, the metric's as columns, shaded by the share of the row."""
    shares = [[n / (sum(row) or 1) for n in row] for row in confusion.counts]
    cells = [[f"{n:,}" for n in row] for row in confusion.counts]
    return heat_map(
        f"Human labels against {confusion.metric}", confusion.rows, confusion.columns,
        shares, cells,
        row_name="people said", column_name=f"{confusion.metric} said",
    )  # fmt: skip


def heat_map(
    title: str, rows: Sequence[str], columns: Sequence[str],
    values: Sequence[Sequence[float | None]], cells: Sequence[Sequence[str]], *,
    row_name: str, column_name: str,
) -> Markup:  # fmt: skip
    """A matrix of numbers in [0, 1]; None is left blank."""
    left = 40 + 6.5 * min(28, max(map(len, rows)))
    cell, top = 82.0, 62.0
    tall = 40.0
    drawn = [
        svg.text(left + cell * len(columns) / 2, 14, column_name, "name", text_anchor="middle"),
        svg.text(left - 10, top - 10, row_name, "name", text_anchor="end"),
    ]
    for c, column in enumerate(columns):
        for i, part in enumerate(_two_lines(column)):
            drawn.append(svg.text(left + (c + 0.5) * cell, top - 22 + 13 * i, part,
                                  text_anchor="middle"))  # fmt: skip
    for r, row in enumerate(rows):
        y = top + r * tall
        drawn.append(svg.text(left - 10, y + tall / 2 + 4, _cut(row, 28), text_anchor="end"))
        for c, column in enumerate(columns):
            value, label = values[r][c], cells[r][c]
            class_ = _shade(value) if value is not None else "blank"
            x = left + c * cell
            drawn.append(svg.box(x + 1, y + 1, cell - 2, tall - 2, class_,
                                 f"{row} → {column}: {label}", rx=4))  # fmt: skip
            drawn.append(svg.text(x + cell / 2, y + tall / 2 + 4, label, f"cell on-{class_}",
                                  text_anchor="middle"))  # fmt: skip
    width, height = left + cell * len(columns) + 4, top + tall * len(rows) + 6
    return svg.picture(width, height, title, *drawn, natural=True)


def forest(title: str, intervals: Sequence[tuple[str, Interval]], *, top_value: float) -> Markup:
    """Means with their intervals, one line each, on one axis from 0 to `top_value`."""
    width, left, tall = 540.0, 190.0, 30.0
    height = tall * len(intervals) + 26

    def x(value: float) -> float:
        return left + min(value / top_value, 1) * (width - left - 70)

    drawn: list[Markup] = []
    for tick in range(6):
        value = top_value * tick / 5
        drawn.append(svg.line(x(value), 4, x(value), height - 20, "grid"))
        drawn.append(svg.text(x(value), height - 5, f"{value:.2g}", text_anchor="middle"))
    for i, (name, interval) in enumerate(intervals):
        y = tall * (i + 0.5)
        drawn.append(svg.text(left - 12, y + 4, _cut(name, 30), "label", text_anchor="end"))
        value, (low, high) = interval.value or 0.0, interval.ends
        drawn.append(svg.box(x(low), y - 4, x(high) - x(low), 8, "range", f"{low:.3f}–{high:.3f}",
                             rx=4))  # fmt: skip
        drawn.append(svg.element("circle", cx=x(value), cy=y, r=5, class_="dot all"))
        drawn.append(svg.text(width - 58, y + 4, f"{value:.3f}", "label"))
    return svg.picture(width, height, title, *drawn, natural=True)


def steps(
    title: str, x_name: str, lines: Sequence[tuple[str, Sequence[tuple[float, float]]]]
) -> Markup:
    """Shares in [0, 1] against a growing number, such as ranking stability."""
    width, height, left, bottom, top = 560.0, 240.0, 38.0, 36.0, 8.0
    most = max((x for _, points in lines for x, _ in points), default=1.0) or 1.0

    def at(point: tuple[float, float]) -> tuple[float, float]:
        x, y = point
        return left + x / most * (width - left - 10), top + (1 - y) * (height - top - bottom)

    drawn: list[Markup] = []
    for tick in (0, 0.25, 0.5, 0.75, 0.95, 1):
        y = at((0, tick))[1]
        drawn.append(svg.line(left, y, width - 10, y, "grid" if tick != 0.95 else "goal"))
        if tick != 0.95:
            drawn.append(svg.text(left - 5, y + 4, f"{tick:g}", text_anchor="end"))
    for part in range(5):
        value = most * part / 4
        drawn.append(svg.text(at((value, 0))[0], height - 20, f"{value:g}", text_anchor="middle"))
    for i, (_, points) in enumerate(lines):
        drawn.append(svg.path([at(p) for p in points], f"line series{i % _SERIES}"))
    drawn.append(svg.text((left + width) / 2, height - 4, x_name, "name", text_anchor="middle"))
    return svg.picture(width, height, title, *drawn)


def _shade(value: float) -> str:
    return f"heat{round(max(0.0, min(1.0, value)) * _LEVELS)}"


def _anchor(tick: float) -> str:
    return "start" if tick == 0 else "end" if tick == 1 else "middle"


def _cut(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def _two_lines(name: str) -> list[str]:
    """A column's name on at most two short lines, the lower one always filled."""
    name = _cut(name, 20)
    if len(name) <= 13:
        return ["", name]
    cut = max(name.rfind(mark, 0, 12) for mark in " -,:=_")
    cut = cut + 1 if cut > 2 else 11
    return [name[:cut].rstrip(), _cut(name[cut:].strip(), 12)]
