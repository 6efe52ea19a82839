"""A line chart as one SVG text that stands alone: for meta-evaluation plots and result pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 560, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 150, 34, 46
# Colours that people with colour-vision deficiencies can tell apart (Okabe and Ito).
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart; a point without a value is left out."""

    name: str
    points: Sequence[tuple[float, float | None]]
    band: Sequence[tuple[float, float, float]] = ()
    """x, low and high of an interval drawn behind the line."""
    dashed: bool = False


def line_chart(title: str, x_label: str, y_label: str, lines: Sequence[Line]) -> str:
    """Draw the lines; x spans what they have, y is 0 to 1 or as wide as they need."""
    xs = [x for line in lines for x, y in line.points if y is not None]
    ys = [y for line in lines for _, y in line.points if y is not None]
    low_x, high_x = (min(xs), max(xs)) if xs else (0.0, 1.0)
    high_x = high_x if high_x > low_x else low_x + 1
    low_y, high_y = min([0.0, *ys]), max([1.0, *ys])

    def at(x: float, y: float) -> str:
        across = _LEFT + (x - low_x) / (high_x - low_x) * (_WIDTH - _LEFT - _RIGHT)
        down = _HEIGHT - _BOTTOM - (y - low_y) / (high_y - low_y) * (_HEIGHT - _TOP - _BOTTOM)
        return f"{across:.1f},{down:.1f}"

    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="12" aria-label="{escape(title)}">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        f'<text x="{_LEFT}" y="20" font-weight="bold">{escape(title)}</text>',
        *_axes(low_x, high_x, low_y, high_y, x_label, y_label),
    ]
    for number, line in enumerate(lines):
        colour = _COLOURS[number % len(_COLOURS)]
        if line.band:
            edge = [at(x, high) for x, _, high in line.band]
            edge += [at(x, low) for x, low, _ in reversed(line.band)]
            drawn.append(f'<polygon points="{" ".join(edge)}" fill="{colour}" opacity="0.15"/>')
        points = " ".join(at(x, y) for x, y in line.points if y is not None)
        dash = ' stroke-dasharray="5 3"' if line.dashed else ""
        drawn.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
        )
        height = _TOP + 18 * number + 6
        x = _WIDTH - _RIGHT + 12
        drawn.append(
            f'<line x1="{x}" x2="{x + 18}" y1="{height}" y2="{height}" stroke="{colour}" '
            f'stroke-width="2"{dash}/>'
            f'<text x="{x + 24}" y="{height + 4}">{escape(line.name)}</text>'
        )
    return "\n".join([*drawn, "</svg>"]) + "\n"


def _axes(
    low_x: float, high_x: float, low_y: float, high_y: float, x_label: str, y_label: str
) -> list[str]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    drawn = [
        f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="#444"/>',
        f'<text x="{(_LEFT + right) / 2}" y="{_HEIGHT - 8}" text-anchor="middle">'
        f"{escape(x_label)}</text>",
        f'<text transform="translate(14 {(_TOP + bottom) / 2}) rotate(-90)" '
        f'text-anchor="middle">{escape(y_label)}</text>',
    ]
    for step in range(6):
        part = step / 5
        x, y = _LEFT + part * (right - _LEFT), bottom - part * (bottom - _TOP)
        drawn.append(
            f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">'
            f"{low_x + part * (high_x - low_x):.2g}</text>"
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">'
            f"{low_y + part * (high_y - low_y):.2g}</text>"
            f'<line x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        )
    return drawn
