"""Verdicts → something to look at: one self-contained HTML page, or a table for a spreadsheet."""

from __future__ import annotations

from staytrue.report.csv import write_csv
from staytrue.report.page import write_report

__all__ = ["write_csv", "write_report"]
