"""The one writer of SVG, which escapes all text: inline in our pages, or a file that stands alone.

Inline pictures take their colours from the page's style sheet by class.
"""

from __future__ import annotations

from markupsafe import Markup, escape

# Colours that people with colour-vision deficiencies can tell apart (Okabe and Ito).
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


def element(name: str, *children: str | Markup, **attributes: object) -> Markup:
    """One element; `class_` is `class`, `stroke_width` is `stroke-width`, text is escaped."""
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_short(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = "".join(str(escape(child)) for child in children)
    return Markup(f"<{name}{pairs}>{inner}</{name}>")


def picture(
    width: float, height: float, title: str, *children: Markup, natural: bool = False
) -> Markup:
    """The outer `svg`, with a title for screen readers; a `natural` one keeps its size."""
    return element(
        "svg", element("title", title), *children,
        viewBox=f"0 0 {_short(width)} {_short(height)}", role="img",
        class_="chart natural" if natural else "chart", width=width if natural else None,
    )  # fmt: skip


def standalone(
    width: int, height: int, title: str, *children: Markup, natural: bool = False
) -> str:
    """A picture that is a file of its own, on white; a `natural` one keeps its size."""
    drawn = element(
        "svg", element("title", title), element("rect", width="100%", height="100%", fill="white"),
        *children, xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}",
        role="img", font_family="system-ui, sans-serif", font_size=12,
        width=width if natural else None,
    )  # fmt: skip
    return f"{drawn}\n"


def colour(number: int) -> str:
    """The colour of the series with this number, counted from 0."""
    return _COLOURS[number % len(_COLOURS)]


def text(x: float, y: float, content: object, class_: str = "tick", **more: object) -> Markup:
    """A line of text at a point."""
    return element("text", str(content), x=x, y=y, class_=class_, **more)


def line(x1: float, y1: float, x2: float, y2: float, class_: str = "axis") -> Markup:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def box(
    x: float, y: float, width: float, height: float, class_: str, hint: str = "", **more: object
) -> Markup:
    """A rectangle that shows `hint` when pointed at."""
    inside = [element("title", hint)] if hint else []
    return element(
        "rect", *inside, x=x, y=y, width=max(width, 0), height=max(height, 0), class_=class_, **more
    )


def path(points: list[tuple[float, float]], class_: str) -> Markup:
    """A line through the points."""
    steps = " L".join(f"{_short(x)} {_short(y)}" for x, y in points)
    return element("path", d=f"M{steps}", class_=class_)


def _short(value: object) -> object:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
