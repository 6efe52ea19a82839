"""Verdicts → something to look at: one self-contained HTML page, or a table for a spreadsheet."""

from __future__ import annotations

from staytrue.report.page import write_report
from staytrue.report.sheet import write_csv

__all__ = ["write_csv", "write_report"]
