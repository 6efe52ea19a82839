"""The run as a table for a spreadsheet: one row an example, one column a metric."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from staytrue.report.reading import read_run
from staytrue.report.reading import rows as json_rows

# A cell that starts with one of these may run as a formula (OWASP, "CSV injection").
_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_TEXTS = ("id", "response", "knowledge", "message")
_JUDGEMENTS = ("consistent", "label", "rating")


def write_csv(run_folder: Path, path: Path) -> Path:
    """Write the run's scores and labels as CSV, safe to open in a spreadsheet."""
    view = read_run(run_folder, most_examples=0)
    header = [*_TEXTS, *_JUDGEMENTS]
    for metric in view.metrics:
        header += [metric.name, f"{metric.name} label"]
    seen: set[str] = set()
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([defused(cell) for cell in header])
        for row in json_rows(run_folder / "examples.jsonl"):
            if str(row.get("id")) in seen:
                continue
            place = len(seen)
            seen.add(str(row.get("id")))
            cells: list[Any] = [row.get("id"), row.get("response"), row.get("knowledge")]
            cells.append(_last_turn(row))
            cells += [row.get(name) for name in _JUDGEMENTS]
            for metric in view.metrics:
                cells += [metric.scores[place], metric.labels[place]]
            writer.writerow([defused(cell) for cell in cells])
    return path


def defused(cell: Any) -> Any:
    """The cell, with an apostrophe before text that a spreadsheet would take for a formula."""
    if cell is None:
        return ""
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\x00", "")
    return f"'{text}" if text.lstrip(" ").startswith(_STARTS_A_FORMULA) else text


def _last_turn(row: dict[str, Any]) -> str:
    history = row.get("history") or []
    return str(history[-1].get("text", "")) if history else ""
