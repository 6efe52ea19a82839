"""Scores with their intervals as one picture: numbers in, SVG out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from staytrue.report import svg
from staytrue.studies.consistest import Cell

_WIDTH = 640
_LEFT, _RIGHT, _ROW, _TOP = 170, 30, 16, 46


def dots(title: str, columns: Sequence[str], series: Sequence[tuple[str, Sequence[Cell]]]) -> str:
    """A dot with a whisker for every column and series, on a line from 0 to 1."""
    group = _ROW * len(series) + 10
    bottom = _TOP + group * len(columns)
    drawn = [svg.element("text", title, x=10, y=22, font_weight="bold")]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = _x(tick)
        drawn.append(svg.element("line", x1=x, x2=x, y1=_TOP - 8, y2=bottom, stroke="#e2e8f0"))
        drawn.append(svg.element("text", f"{tick:g}", x=x, y=_TOP - 12, text_anchor="middle"))
    for row, column in enumerate(columns):
        y = _TOP + row * group
        drawn.append(svg.element("text", column, x=_LEFT - 10, y=y + group / 2, text_anchor="end"))
        for number, (_, cells) in enumerate(series):
            drawn += _dot(cells[row], y + 8 + number * _ROW, svg.colour(number))
    for number, (name, _) in enumerate(series):
        y = bottom + 22 + 18 * number
        drawn.append(svg.element("circle", cx=_LEFT, cy=y - 4, r=5, fill=svg.colour(number)))
        drawn.append(svg.element("text", name, x=_LEFT + 12, y=y))
    return svg.standalone(_WIDTH, bottom + 30 + 18 * len(series), title, *drawn)


def _dot(cell: Cell, y: float, colour: str) -> Iterator[Markup]:
    interval = cell.mean
    if interval.value is None:
        return
    low = interval.value if interval.low is None else interval.low
    high = interval.value if interval.high is None else interval.high
    yield svg.element("line", x1=_x(low), x2=_x(high), y1=y, y2=y, stroke=colour, stroke_width=2)
    hint = svg.element("title", str(interval))
    yield svg.element("circle", hint, cx=_x(interval.value), cy=y, r=4, fill=colour)


def _x(value: float) -> float:
    return _LEFT + max(0.0, min(1.0, value)) * (_WIDTH - _LEFT - _RIGHT)
