"""What the generators of result pages share: tables, and which weights the figures are of."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from staytrue.backends.embedded import EmbeddedBackend, large_folder

REPOSITORY = Path(__file__).resolve().parent.parent
# The published sets are beside the repository, never in it.
DATA = Path(os.environ.get("STAYTRUE_DATA", REPOSITORY.parent / "shared" / "data")) / "dev"
MODELS = REPOSITORY / "src" / "staytrue" / "models"
LARGE = REPOSITORY / "packages/staytrue-models-large/src/staytrue_models_large/models"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table; None is an empty cell."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(c) for c in line) + " |" for line in lines) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value).replace("|", "\\|")


def write_picture(page: Path, name: str, chart: str) -> None:
    """Write a picture into the folder beside the page, so that trials leave those of docs alone."""
    folder = page.parent / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(chart, encoding="utf-8")


def drop_old_pictures(page: Path, prefix: str) -> None:
    """Remove pictures that an earlier page showed: they are of other weights."""
    text = page.read_text("utf-8")
    for picture in (page.parent / "pictures").glob(f"{prefix}-*.svg"):
        if picture.name not in text:
            picture.unlink()


def section_of(page: Path, title: str) -> list[str]:
    """The lines of a section as the page has it, none where it has no such section.

    What needs models that few people have is kept from page to page, with its signatures.
    """
    lines = page.read_text("utf-8").splitlines() if page.exists() else []
    if f"## {title}" not in lines:
        return []
    start = lines.index(f"## {title}")
    ends = (n for n in range(start + 1, len(lines)) if lines[n].startswith("## "))
    return lines[start : next(ends, len(lines))]


def put_section(page: Path, section: Sequence[str], before: str) -> None:
    """Write one section anew, or for the first time before another one."""
    old = page.read_text("utf-8").splitlines()
    title = section[0].removeprefix("## ")
    had = section_of(page, title)
    start = old.index(f"## {title if had else before}")
    text = "\n".join([*old[:start], *section, *old[start + len(had) :]])
    page.write_text(text.rstrip("\n") + "\n", "utf-8")


def percent(value: float | None) -> str | None:
    """A share as people read it."""
    return None if value is None else f"{value:.1%}"


def sizes() -> dict[str, str]:
    """Backends by what a page calls them: the quick one, and the default where it is installed."""
    backends = {"Small models": "embedded,size=small"}
    if large_folder() is not None:
        backends["Small and large models together"] = "embedded,size=both"
    return backends


def limited(limit: int | None, what: str) -> str:
    """A sentence on a page of some of the rows only; an empty line on one of all."""
    return f"Of each set at most {limit} {what} were judged.\n" if limit else ""


def weights(*sizes: Literal["auto", "small", "large", "both"]) -> str:
    """One line: the models of these sizes as they are now, and the day on which they came."""
    models = [
        name for size in sizes or ("auto",) for name in EmbeddedBackend(size=size).models().values()
    ]
    names = sorted({name for name in models if "staytrue-" in name})
    large = f", the large ones{_since(LARGE)}" if any("large" in name for name in names) else ""
    return f"Weights: {', '.join(f'`{name}`' for name in names)},{_since(MODELS)}{large}.\n"


def _since(folder: Path) -> str:
    asked = ["git", "log", "-1", "--format=%cs", "--", str(folder)]
    day = subprocess.run(asked, capture_output=True, text=True, cwd=REPOSITORY, check=False)
    return f" shipped since {day.stdout.strip() or 'an unknown day'}"


def significance(what: str, groups: Mapping[str, Sequence[str]], level: str = "") -> str:
    """One sentence from names that are "better than", "worse than" or "neither"; empty of none."""
    parts = [
        f"significantly {how} {', '.join(groups[how])}{level}"
        for how in ("better than", "worse than")
        if groups[how]
    ]
    if groups["neither"]:
        parts.append(f"not significantly different from {', '.join(groups['neither'])}")
    return f"{what} is {'; '.join(parts)}." if parts else ""


def signatures(of: Iterable[str]) -> str:
    """The last section of a page: what repeats its figures."""
    return "## Signatures\n\n" + "\n".join(f"- `{one}`" for one in sorted(set(of))) + "\n"
