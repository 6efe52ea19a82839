"""The run as a table for a spreadsheet: one row an example, one column a metric."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from staytrue.report.reading import read_run
from staytrue.runs.store import Run

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
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([defused(cell) for cell in header])
        for place, example in enumerate(Run(run_folder).examples()):
            cells: list[Any] = [getattr(example, name) for name in (*_TEXTS, *_JUDGEMENTS)]
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
