"""What the generators of result pages share: tables, and which weights the figures are of."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from staytrue.backends.embedded import EmbeddedBackend, large_folder

REPOSITORY = Path(__file__).resolve().parent.parent
MODELS = REPOSITORY / "src" / "staytrue" / "models"


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


def percent(value: float | None) -> str | None:
    """A share as people read it."""
    return None if value is None else f"{value:.1%}"


def sizes() -> dict[str, str]:
    """Backends by what a page calls them: the quick one, and the default where it is installed."""
    found = {"Small models": "embedded,size=small"}
    if large_folder() is not None:
        found["Small and large models together"] = "embedded,size=both"
    return found


def weights() -> str:
    """One line: the models that ship now, and the day on which they were put there."""
    names = sorted({name for name in EmbeddedBackend().models().values() if "staytrue-" in name})
    asked = ["git", "log", "-1", "--format=%cs", "--", str(MODELS)]
    day = subprocess.run(asked, capture_output=True, text=True, cwd=REPOSITORY, check=False)
    since = f", shipped since {day.stdout.strip()}" if day.stdout.strip() else ""
    return f"Weights: {', '.join(f'`{name}`' for name in names)}{since}.\n"


def signatures(of: Iterable[str]) -> str:
    """The last section of a page: what repeats its figures."""
    return "## Signatures\n\n" + "\n".join(f"- `{one}`" for one in sorted(set(of))) + "\n"
