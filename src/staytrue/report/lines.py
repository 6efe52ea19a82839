"""A line chart as one SVG text that stands alone: for meta-evaluation plots and result pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from staytrue.report import svg

_WIDTH, _HEIGHT = 560, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 150, 34, 46


@dataclass(frozen=True, slots=True)
class ChartLine:
    """One line of a chart; a point without a value is left out."""

    name: str
    points: Sequence[tuple[float, float | None]]
    band: Sequence[tuple[float, float, float]] = ()
    """x, low and high of an interval drawn behind the line."""
    dashed: bool = False
    dots: bool = False
    """Draw the points, and no line through them."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where values lie in the picture."""

    low_x: float
    high_x: float
    low_y: float
    high_y: float

    def place(self, x: float, y: float) -> tuple[float, float]:
        across = _LEFT + (x - self.low_x) / (self.high_x - self.low_x) * (_WIDTH - _LEFT - _RIGHT)
        part = (y - self.low_y) / (self.high_y - self.low_y)
        return across, _HEIGHT - _BOTTOM - part * (_HEIGHT - _TOP - _BOTTOM)

    def at(self, x: float, y: float) -> str:
        across, down = self.place(x, y)
        return f"{across:.1f},{down:.1f}"


def line_chart(
    title: str, x_label: str, y_label: str, lines: Sequence[ChartLine], *, high_y: float = 1.0
) -> str:
    """Draw the lines; x spans what they have, y is 0 to `high_y` or as wide as they need."""
    xs = [x for line in lines for x, y in line.points if y is not None]
    ys = [y for line in lines for _, y in line.points if y is not None]
    low_x, high_x = (min(xs), max(xs)) if xs else (0.0, 1.0)
    high_x = high_x if high_x > low_x else low_x + 1
    frame = _Frame(low_x, high_x, min([0.0, *ys]), max([high_y, *ys]))
    drawn = [
        svg.element("text", title, x=_LEFT, y=20, font_weight="bold"),
        *_axes(frame, x_label, y_label),
    ]
    for number, line in enumerate(lines):
        drawn += _drawn(line, number, frame)
    return svg.standalone(_WIDTH, _HEIGHT, title, *drawn)


def _drawn(line: ChartLine, number: int, frame: _Frame) -> Iterator[Markup]:
    colour = svg.colour(number)
    if line.band:
        edge = [frame.at(x, high) for x, _, high in line.band]
        edge += [frame.at(x, low) for x, low, _ in reversed(line.band)]
        yield svg.element("polygon", points=" ".join(edge), fill=colour, opacity=0.15)
    dash = "5 3" if line.dashed else None
    stroke = {"stroke": colour, "stroke_width": 2, "stroke_dasharray": dash}
    points = [(x, y) for x, y in line.points if y is not None]
    x, y = _WIDTH - _RIGHT + 12, _TOP + 18 * number + 6
    if line.dots:
        for across, down in (*(frame.place(*point) for point in points), (x + 9, y)):
            yield svg.element("circle", cx=across, cy=down, r=4, fill=colour)
    else:
        path = " ".join(frame.at(*point) for point in points)
        yield svg.element("polyline", points=path, fill="none", **stroke)
        yield svg.element("line", x1=x, x2=x + 18, y1=y, y2=y, **stroke)
    yield svg.element("text", line.name, x=x + 24, y=y + 4)


def _axes(frame: _Frame, x_label: str, y_label: str) -> Iterator[Markup]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    yield svg.element("path", d=f"M{_LEFT} {_TOP}V{bottom}H{right}", fill="none", stroke="#444")
    middle = {"text_anchor": "middle"}
    yield svg.element("text", x_label, x=(_LEFT + right) / 2, y=_HEIGHT - 8, **middle)
    turned = f"translate(14 {(_TOP + bottom) / 2}) rotate(-90)"
    yield svg.element("text", y_label, transform=turned, **middle)
    for step in range(6):
        part = step / 5
        x, y = _LEFT + part * (right - _LEFT), bottom - part * (bottom - _TOP)
        across = frame.low_x + part * (frame.high_x - frame.low_x)
        up = frame.low_y + part * (frame.high_y - frame.low_y)
        yield svg.element("text", f"{across:.2g}", x=x, y=bottom + 16, **middle)
        yield svg.element("text", f"{up:.2g}", x=_LEFT - 6, y=y + 4, text_anchor="end")
        yield svg.element("line", x1=_LEFT, x2=right, y1=y, y2=y, stroke="#ddd")
