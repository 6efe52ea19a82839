"""A confusion matrix as one SVG picture that needs no style sheet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from staytrue.report import svg

_CELL, _ROW, _LEFT, _TOP = 62, 34, 112, 58


def confusion_svg(
    title: str, rows: Sequence[str], columns: Sequence[str], counts: Sequence[Sequence[int]]
) -> str:
    """Human labels as rows, predicted ones as columns, shaded by the share of the row."""
    drawn = [svg.element("text", title, x=6, y=16, font_weight="bold")]
    for c, column in enumerate(columns):
        drawn.append(_text(_LEFT + (c + 0.5) * _CELL, _TOP - 8, column[:10], "middle"))
    for r, (row, numbers) in enumerate(zip(rows, counts, strict=True)):
        y = _TOP + r * _ROW
        drawn.append(_text(_LEFT - 8, y + 20, row, "end"))
        for c, number in enumerate(numbers):
            drawn += _cell(_LEFT + c * _CELL, y, number, number / (sum(numbers) or 1))
    width, height = _LEFT + _CELL * len(columns) + 8, _TOP + _ROW * len(rows) + 8
    return svg.standalone(width, height, title, *drawn, natural=True)


def _text(x: float, y: float, text: str, anchor: str, ink: str = "#444444") -> Markup:
    return svg.element("text", text, x=x, y=y, text_anchor=anchor, fill=ink, font_size=11)


def _cell(x: float, y: float, number: int, share: float) -> Iterator[Markup]:
    shade = round(245 - 190 * share)
    fill = f"rgb({shade},{min(shade + 6, 250)},250)"
    yield svg.element(
        "rect", x=x + 1, y=y + 1, width=_CELL - 2, height=_ROW - 2, rx=3, fill=fill
    )  # fmt: skip
    ink = "#ffffff" if share > 0.55 else "#222222"
    yield _text(x + _CELL / 2, y + 21, str(number), "middle", ink)
