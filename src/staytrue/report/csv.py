"""The run as a table for a spreadsheet: one row per example, some columns per metric."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

from staytrue.core.records import CITATION_PARTS
from staytrue.core.text import spreadsheet_safe
from staytrue.report.run_view import read_run
from staytrue.runs.folder import Run

_TEXTS = ("id", "response", "knowledge", "message")
_JUDGEMENTS = ("consistent", "label", "rating")


def write_csv(run_folder: Path, path: Path) -> Path:
    """Write the run's scores, labels and reasons as CSV, safe to open in a spreadsheet."""
    view = read_run(run_folder, most_examples=0)
    run = Run(run_folder)
    reasons = {(one.example_id, one.metric): sys.intern(one.reason) for one in run.verdicts()}
    header = [*_TEXTS, *_JUDGEMENTS]
    for metric in view.metrics:
        header += [metric.name, f"{metric.name} label", f"{metric.name} reason"]
        if metric.citations:
            header += [f"{metric.name} {part}" for part in CITATION_PARTS]
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([spreadsheet_safe(cell) for cell in header])
        for index, example in enumerate(run.examples()):
            cells: list[Any] = [getattr(example, name) for name in (*_TEXTS, *_JUDGEMENTS)]
            for metric in view.metrics:
                reason = reasons.get((example.id, metric.name), "")
                cells += [metric.scores[index], metric.labels[index], reason]
                if metric.citations:
                    cited = metric.citations.get(index)
                    cells += [cited.precision, cited.recall] if cited else ["", ""]
            writer.writerow([spreadsheet_safe(cell) for cell in cells])
    return path
