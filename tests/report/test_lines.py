"""Charts are well-formed SVG and safe with any name."""

from __future__ import annotations

from xml.etree import ElementTree

from staytrue.report.lines import ChartLine, line_chart


def test_a_chart_is_well_formed_and_escapes_names() -> None:
    lines = [
        ChartLine(
            '<b>&"', [(0.0, 0.1), (0.5, None), (1.0, 0.9)], [(0.0, 0.0, 0.2), (1.0, 0.8, 1.0)]
        ),
        ChartLine("other", [(0.0, 0.3), (1.0, 0.3)], dashed=True),
    ]
    root = ElementTree.fromstring(line_chart("a < b", "x", "y", lines))
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert '<b>&"' in texts
    assert sum(element.tag.endswith("polyline") for element in root.iter()) == 2
    assert sum(element.tag.endswith("polygon") for element in root.iter()) == 1


def test_points_without_values_are_left_out() -> None:
    root = ElementTree.fromstring(
        line_chart("t", "x", "y", [ChartLine("n", [(0, 0.1), (1, None)])])
    )
    line = next(element for element in root.iter() if element.tag.endswith("polyline"))
    assert len(line.attrib["points"].split()) == 1


def test_an_empty_chart_can_be_drawn() -> None:
    ElementTree.fromstring(line_chart("t", "x", "y", []))


def test_dots_are_drawn_instead_of_a_line_on_an_axis_as_high_as_asked() -> None:
    dots = ChartLine("bots", [(0.0, 0.0), (0.5, 0.5)], dots=True)
    root = ElementTree.fromstring(line_chart("t", "x", "y", [dots], high_y=0.5))
    circles = [element.attrib for element in root.iter() if element.tag.endswith("circle")]
    corners = [(circle["cx"], circle["cy"]) for circle in circles[:2]]
    assert corners == [("56", "294"), ("410", "34")]
    assert not any(element.tag.endswith("polyline") for element in root.iter())
