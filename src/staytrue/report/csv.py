"""The run as a table for a spreadsheet: one row per example, one column per metric."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from staytrue.core.text import spreadsheet_safe
from staytrue.report.run_view import read_run
from staytrue.runs.folder import Run

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
        writer.writerow([spreadsheet_safe(cell) for cell in header])
        for index, example in enumerate(Run(run_folder).examples()):
            cells: list[Any] = [getattr(example, name) for name in (*_TEXTS, *_JUDGEMENTS)]
            for metric in view.metrics:
                cells += [metric.scores[index], metric.labels[index]]
            writer.writerow([spreadsheet_safe(cell) for cell in cells])
    return path
