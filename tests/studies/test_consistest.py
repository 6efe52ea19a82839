"""Tables and pictures of judged probes."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from staytrue.core.records import Example, Probe, Verdict
from staytrue.report.dots import dots
from staytrue.studies.consistest import (
    SIDE_BY_SIDE_COLUMNS,
    JudgedProbe,
    by_source_kind_distance,
    collect,
    mean_of,
    paired_difference,
    plot_columns,
    short_answer_errors,
    side_by_side,
    wrong_share,
)


def judged(
    number: int, score: float, *, kind: str = "yn", truth: str = "yes", rule: str = "",
    source: str = "persona", distance: int = 0,
) -> JudgedProbe:  # fmt: skip
    return JudgedProbe(str(number), source, kind, distance, truth, score, rule)


ROWS = [
    judged(0, 1.0),
    judged(1, 0.0, rule="contradiction"),
    judged(2, 0.0, truth="no", rule="short-answer-wrong"),
    judged(3, 0.0, truth="i don't | no", rule="parts-disagree"),
    judged(4, 0.5, kind="wh", source="history", truth="two", distance=2),
]


def test_examples_and_verdicts_are_joined_for_one_metric() -> None:
    probe = Probe("q?", "yes", "f", "yn", "persona", distance=2)
    examples = [
        Example("a", "yes", probe=probe),
        Example("b", "yes"),
        Example("c", "", probe=probe),
    ]
    verdicts = [
        Verdict("a", "hybrid", 1.0, label="rule"), Verdict("a", "other", 0.0),
        Verdict("c", "hybrid", None, reason="none"),
    ]  # fmt: skip
    assert collect(examples, verdicts, "hybrid") == [
        JudgedProbe("a", "persona", "yn", 2, "yes", 1.0, "rule", dialogue="a")
    ]


def test_a_picture_has_a_row_for_each_distance_that_was_asked() -> None:
    columns = plot_columns([ROWS[:4], ROWS[4:]])
    assert [column.name for column in columns] == [
        "all", "persona Y/N", "persona Y/N, distance 0", "history WH", "history WH, distance 2",
    ]  # fmt: skip
    assert columns[-1].of(ROWS) == ROWS[4:]


def test_yes_no_errors_are_told_by_truth_and_by_the_short_answer() -> None:
    assert [row.cells() for row in short_answer_errors(ROWS)] == [
        ("yes", "2", "1 (50%)", "0 (0%)"),
        ("no", "2", "2 (100%)", "2 (100%)"),
        ("all", "4", "3 (75%)", "2 (67%)"),
    ]
    assert wrong_share(ROWS, "yes").mean.value == 0.5


def test_scores_are_split_by_source_kind_and_distance() -> None:
    table = {(row[0], row[1]): row[2:] for row in by_source_kind_distance(ROWS)}
    assert table["persona", "0"][1].startswith("0.250")
    assert table["persona", "2"] == ["–", "–", "–"]
    assert table["history", "2"][0].startswith("0.500")


def test_means_have_intervals() -> None:
    cell = mean_of(ROWS)
    assert cell.mean.low is not None
    assert cell.mean.high is not None
    assert cell.mean.low <= 0.3 <= cell.mean.high
    assert mean_of(ROWS) == cell
    assert str(mean_of([])) == "–"


def test_two_bots_are_compared_on_their_common_probes() -> None:
    better = [judged(0, 1.0), judged(1, 1.0), judged(9, 0.0)]
    gap = paired_difference(better, ROWS)
    assert (gap.mean.value, gap.count) == (0.5, 2)


def test_the_picture_is_valid_and_escaped() -> None:
    series = side_by_side({"<bot> & co": ROWS})
    drawn = dots("A < B", SIDE_BY_SIDE_COLUMNS, series)
    root = ElementTree.fromstring(drawn)
    assert "<bot>" not in drawn
    assert len(root.findall(".//{*}circle")) == 1 + 3  # the legend, and the cells that have rows
