"""Scores with intervals are drawn as well-formed SVG, and a cell without a score is left out."""

from __future__ import annotations

from xml.etree import ElementTree

from staytrue.report.dots import dots
from staytrue.stats.bootstrap import Interval
from staytrue.studies.consistest import Cell


def test_a_score_is_a_dot_and_an_absent_one_is_not() -> None:
    cells = [Cell(Interval(0.5, 0.4, 0.6), 10), Cell(Interval(None), 0)]
    root = ElementTree.fromstring(dots("a < b", ["x & y", "z"], [("bot", cells)]))
    hints = [circle for circle in root.iter() if circle.tag.endswith("circle") and len(circle)]
    assert len(hints) == 1
    assert "x & y" in [text.text for text in root.iter() if text.tag.endswith("text")]
