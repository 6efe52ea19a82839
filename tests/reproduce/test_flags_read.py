"""Flags are compared with the pairs of turns that were read by hand."""

from __future__ import annotations

from typing import Any

import pytest
from reproduce import flags_read, papers
from reproduce.readings import read

from staytrue.core.records import Example, Verdict


def row(kind: str, contradicts: bool, **more: Any) -> dict[str, Any]:
    return {
        "id": "1", "kind": kind, "first": "I live in Boston.", "second": "I live in Denver.",
        "question": "", "truth": "", "contradicts": contradicts, **more,
    }  # fmt: skip


def test_precision_and_recall_count_the_flags_of_some_kinds() -> None:
    rows = [row("search", True), row("search", False), row("search", True), row("asked", False)]
    labels = ["contradiction", "contradiction", "consistent", "contradiction"]
    comparison = flags_read.compared(rows, labels, ["search"])
    assert (comparison.pairs, comparison.flagged) == (3, 2)
    assert (comparison.precision.value, comparison.recall.value) == (0.5, 0.5)
    both = flags_read.compared(rows, labels, ["search", "asked"])
    assert both.precision.value == pytest.approx(1 / 3)


def test_a_pair_with_a_question_is_judged_as_an_inquiry() -> None:
    asked, plain = flags_read.examples(
        [row("asked", False, question="Where do you live?", truth="Boston"), row("search", False)]
    )
    assert asked.probe is not None
    assert (asked.probe.truth, asked.probe.fact) == ("Boston", "I live in Boston.")
    assert plain.probe is None


def test_the_stored_pairs_are_whole_and_distinct() -> None:
    rows = read(flags_read.READ)
    assert {r["kind"] for r in rows} == {k for some in flags_read.KINDS.values() for k in some}
    assert all(r["first"] and r["second"] for r in rows)
    assert len({r["id"] for r in rows}) == len(rows)
    twice = [r for r in rows if r.get("again") is not None]
    assert len(twice) >= len(rows) // 3


def test_flags_are_compared_with_labels_that_others_gave() -> None:
    class Metric:
        def judge(self, pairs: list[Example]) -> list[Verdict]:
            return [
                Verdict(p.id, "m", 0.5, "contradiction" if "Denver" in p.response else "consistent")
                for p in pairs
            ]

    pairs = [
        Example("1", "I live in Denver.", "I live in Boston.", label="contradiction"),
        Example("2", "I like Denver.", "I live in Boston.", label="neutral"),
        Example("3", "I hate cats.", "I love cats.", label="contradiction"),
    ]
    flags = flags_read.labelled(Metric(), pairs)
    assert (flags.pairs, flags.flagged) == (3, 2)
    assert (flags.precision.value, flags.recall.value) == (0.5, 0.5)


def test_the_guide_quotes_the_figures_of_the_page() -> None:
    guide = " ".join((papers.DOCS / "interrogate.md").read_text("utf-8").split())
    page = "results-aih.md > People talking with bots > `contradiction`"
    for kind, saying in (
        ("any two turns", "of {} flags among any two turns of real talk {} are"),
        ("natural inquiries", "of {} flags of answers to people's own questions only {} are"),
    ):
        cells = (papers.figure(f"{page} / {kind} > {name}") for name in ("flagged", "precision"))
        assert saying.format(*cells) in guide
