"""Scores with their intervals as one picture: numbers in, SVG out."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from staytrue.studies.consistest import Cell

_COLOURS = ("#2b6cb0", "#c05621", "#2f855a", "#6b46c1", "#b83280", "#4a5568")
_STYLE = "font-family:system-ui,sans-serif;font-size:12px"
_LEFT, _RIGHT, _ROW, _TOP = 170, 30, 16, 46


def dots(title: str, columns: Sequence[str], series: Sequence[tuple[str, Sequence[Cell]]]) -> str:
    """A dot with a whisker for every column and series, on a line from 0 to 1."""
    group = _ROW * len(series) + 10
    width, height = 640, _TOP + group * len(columns) + 30 + 18 * len(series)
    parts = [f'<text x="10" y="22" font-weight="bold">{escape(title)}</text>']
    bottom = _TOP + group * len(columns)
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = _x(tick, width)
        parts.append(f'<line x1="{x}" x2="{x}" y1="{_TOP - 8}" y2="{bottom}" stroke="#e2e8f0"/>')
        parts.append(f'<text x="{x}" y="{_TOP - 12}" text-anchor="middle">{tick:g}</text>')
    for place, column in enumerate(columns):
        y = _TOP + place * group
        middle = y + group / 2
        parts.append(
            f'<text x="{_LEFT - 10}" y="{middle}" text-anchor="end">{escape(column)}</text>'
        )
        for number, (_, cells) in enumerate(series):
            parts += _dot(cells[place], y + 8 + number * _ROW, _colour(number), width)
    for number, (name, _) in enumerate(series):
        y = bottom + 22 + 18 * number
        parts.append(f'<circle cx="{_LEFT}" cy="{y - 4}" r="5" fill="{_colour(number)}"/>')
        parts.append(f'<text x="{_LEFT + 12}" y="{y}">{escape(name)}</text>')
    drawn = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'style="{_STYLE}">\n<title>{escape(title)}</title>\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{drawn}\n</svg>\n'
    )


def _dot(cell: Cell, y: float, colour: str, width: int) -> list[str]:
    found = cell.mean
    if found.value is None:
        return []
    low = found.value if found.low is None else found.low
    high = found.value if found.high is None else found.high
    return [
        f'<line x1="{_x(low, width)}" x2="{_x(high, width)}" y1="{y}" y2="{y}" '
        f'stroke="{colour}" stroke-width="2"/>',
        f'<circle cx="{_x(found.value, width)}" cy="{y}" r="4" fill="{colour}">'
        f"<title>{escape(str(found))}</title></circle>",
    ]


def _x(value: float, width: int) -> float:
    return round(_LEFT + max(0.0, min(1.0, value)) * (width - _LEFT - _RIGHT), 1)


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]
