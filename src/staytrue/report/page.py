"""Writes a run's report: one HTML file that needs no network and opens from disk."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from staytrue.core.errors import RunError
from staytrue.core.text import decimals
from staytrue.report.run_view import RunView, read_run
from staytrue.report.sections import about_intervals, headlines, sections

STATIC = Path(__file__).parent / "static"
STYLES = ("colours.css", "page.css", "charts.css", "examples.css")
SCRIPTS = ("evidence.js", "examples.js")


def write_report(run_folder: Path) -> Path:
    """Write RUN/report.html from the run folder and give its path."""
    path = run_folder / "report.html"
    page = render(read_run(run_folder))
    unfinished = path.with_suffix(".html.part")
    try:
        # A reader never sees half a page.
        unfinished.write_text(page, encoding="utf-8", errors="replace")
        unfinished.replace(path)
    except OSError as error:
        raise RunError(f"Cannot write {path}: {error.strerror}; check the folder.") from None
    return path


@dataclass(frozen=True)
class Inline:
    """A style sheet or script put into the page, with the hash that its policy allows it by."""

    content: Markup
    hash: str


def render(view: RunView) -> str:
    """The page as text."""
    style, script = _inline(STYLES), _inline(SCRIPTS)
    return environment().get_template("report.html").render(
        **figures_context(view), style=style, script=script,
        data=embedded_json(page_data(view)),
    )  # fmt: skip


def figures_context(view: RunView) -> dict[str, Any]:
    """What the template of the figures needs."""
    headings = headlines(view)
    judged = any(one.accuracy.value is not None for one in headings)
    return {
        "run": view, "headlines": headings, "judged": judged, "sections": sections(view),
        "about_intervals": about_intervals(headings),
    }  # fmt: skip


def page_data(view: RunView) -> dict[str, Any]:
    """What the page's script filters and shows."""
    failed: dict[str, list[str]] = {}
    for error in view.errors:
        message = f"{error['metric']}: {error['error']}" if error.get("metric") else error["error"]
        failed.setdefault(str(error.get("where")), []).append(message)
    return {
        "metrics": [metric.name for metric in view.metrics],
        "examples": view.shown,
        "failed": failed,
    }


def embedded_json(value: Any) -> Markup:
    """JSON that cannot end its own script element or be read as HTML."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


@lru_cache(maxsize=4)
def environment(*packages: str) -> Environment:
    """Templates of the packages and of the report; they escape everything, attributes included."""
    templates = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in (*packages, "staytrue.report")]),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["number"] = lambda value: f"{value:,}"
    templates.filters["score"] = decimals
    templates.filters["signed"] = lambda value: decimals(value, signed=True)
    return templates


def _inline(names: tuple[str, ...]) -> Inline:
    text = "\n".join((STATIC / name).read_text(encoding="utf-8") for name in names)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return Inline(Markup(text), f"sha256-{digest}")
