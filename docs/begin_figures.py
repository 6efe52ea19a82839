"""A confusion matrix as one SVG picture that needs no style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_CELL, _LEFT, _TOP = 62, 112, 58


def confusion_svg(title: str, rows: Sequence[str], columns: Sequence[str], counts: Sequence[Sequence[int]]) -> str:
    """Human labels as rows, predicted ones as columns, shaded by the share of the row."""
    width, height = _LEFT + _CELL * len(columns) + 8, _TOP + 34 * len(rows) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'role="img" font-family="sans-serif" font-size="11"><title>{escape(title)}</title>'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="6" y="16" font-size="13" fill="#222222">{escape(title)}</text>',
    ]
    for c, column in enumerate(columns):
        x = _LEFT + c * _CELL + _CELL / 2
        parts.append(f'<text x="{x}" y="{_TOP - 8}" text-anchor="middle" fill="#444444">{escape(column[:10])}</text>')
    for r, (row, numbers) in enumerate(zip(rows, counts, strict=True)):
        y = _TOP + r * 34
        total = sum(numbers) or 1
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 20}" text-anchor="end" fill="#444444">{escape(row)}</text>')
        for c, number in enumerate(numbers):
            share = number / total
            shade = round(245 - 190 * share)
            ink = "#ffffff" if share > 0.55 else "#222222"
            x = _LEFT + c * _CELL
            parts.append(f'<rect x="{x + 1}" y="{y + 1}" width="{_CELL - 2}" height="32" rx="3" fill="rgb({shade},{shade + 6 if shade < 240 else shade},250)"/>')
            parts.append(f'<text x="{x + _CELL / 2}" y="{y + 21}" text-anchor="middle" fill="{ink}">{number}</text>')
    return "".join([*parts, "</svg>"])
