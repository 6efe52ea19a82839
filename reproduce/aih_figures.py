"""Plots of the AIH page as SVG pictures that need no style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 560, 300, 46, 42, 30
_INKS = ("#1f5fa8", "#b3541e", "#3c7d3c", "#7a4fa3", "#8a6d1d", "#40707a")
Points = Sequence[tuple[float, float]]


def plot(
    title: str, x_name: str, y_name: str, lines: Sequence[tuple[str, Points]], *,
    most_x: float, most_y: float, dots: bool = False, goal: float | None = None,
    diagonal: bool = False,
) -> str:  # fmt: skip
    """Lines, or dots, in a frame from (0, 0) to (most_x, most_y)."""

    def at(x: float, y: float) -> tuple[float, float]:
        wide, high = _WIDTH - _LEFT - 14, _HEIGHT - _TOP - _BOTTOM
        return _LEFT + x / most_x * wide, _TOP + (1 - y / most_y) * high

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" role="img" font-family="sans-serif" font-size="11">'
        f"<title>{escape(title)}</title>"
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="8" y="17" font-size="13" fill="#222222">{escape(title)}</text>',
    ]
    for part in range(6):
        x, y = most_x * part / 5, most_y * part / 5
        (left, base), (right, _) = at(0, y), at(most_x, y)
        parts.append(_line(left, base, right, base, "#dddddd"))
        parts.append(_text(left - 6, base + 4, f"{y:.2g}", "end"))
        parts.append(_text(at(x, 0)[0], _HEIGHT - _BOTTOM + 15, f"{x:.3g}", "middle"))
    parts.append(_text((_LEFT + _WIDTH) / 2, _HEIGHT - 8, x_name, "middle"))
    parts.append(_text(_LEFT, _TOP - 4, y_name, "start"))
    if diagonal:
        end = min(most_x, most_y)
        parts.append(_line(*at(0, 0), *at(end, end), "#999999", "4 4"))
    if goal is not None:
        parts.append(_line(*at(0, goal), *at(most_x, goal), "#999999", "4 4"))
    for n, (name, points) in enumerate(lines):
        ink = _INKS[n % len(_INKS)]
        placed = [at(x, y) for x, y in points]
        if dots:
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{ink}"/>' for x, y in placed]
        else:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{ink}" stroke-width="2"/>')
        if name:
            parts.append(
                f'<text x="{_WIDTH - 18}" y="{_HEIGHT - _BOTTOM - 10 - 14 * (len(lines) - n - 1)}" '
                f'text-anchor="end" fill="{ink}">{escape(name)}</text>'
            )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _line(x1: float, y1: float, x2: float, y2: float, ink: str, dash: str = "") -> str:
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{ink}"{dashed}/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#444444">{escape(text)}</text>'
    )
