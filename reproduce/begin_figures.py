"""A confusion matrix as one SVG picture that needs no style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_CELL, _ROW, _LEFT, _TOP = 62, 34, 112, 58


def confusion_svg(
    title: str, rows: Sequence[str], columns: Sequence[str], counts: Sequence[Sequence[int]]
) -> str:
    """Human labels as rows, predicted ones as columns, shaded by the share of the row."""
    width, height = _LEFT + _CELL * len(columns) + 8, _TOP + _ROW * len(rows) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'role="img" font-family="sans-serif" font-size="11"><title>{escape(title)}</title>'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="6" y="16" font-size="13" fill="#222222">{escape(title)}</text>',
    ]
    for c, column in enumerate(columns):
        parts.append(_text(_LEFT + (c + 0.5) * _CELL, _TOP - 8, column[:10], "middle"))
    for r, (row, numbers) in enumerate(zip(rows, counts, strict=True)):
        y = _TOP + r * _ROW
        parts.append(_text(_LEFT - 8, y + 20, row, "end"))
        for c, number in enumerate(numbers):
            parts.append(_cell(_LEFT + c * _CELL, y, number, number / (sum(numbers) or 1)))
    return "".join([*parts, "</svg>"])


def _text(x: float, y: float, text: str, anchor: str, ink: str = "#444444") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{ink}">{escape(text)}</text>'


def _cell(x: float, y: float, number: int, share: float) -> str:
    shade = round(245 - 190 * share)
    place = f'x="{x + 1}" y="{y + 1}" width="{_CELL - 2}" height="{_ROW - 2}"'
    ink = "#ffffff" if share > 0.55 else "#222222"
    square = f'<rect {place} rx="3" fill="rgb({shade},{min(shade + 6, 250)},250)"/>'
    return square + _text(x + _CELL / 2, y + 21, str(number), "middle", ink)
