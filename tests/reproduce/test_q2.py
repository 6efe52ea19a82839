"""The Q² page is written from a few examples of each set, with its baselines at their best."""

from __future__ import annotations

from pathlib import Path

import pytest
from reproduce import q2, q2_other_sets, q2_sets, q2_tables

from staytrue.stats.bootstrap import PairedTest
from staytrue.stats.intervals import Interval
from staytrue.studies.agreement import MetricsTest


def compared(a: str, b: str, left: float, right: float, p: float) -> MetricsTest:
    difference = Interval(left - right, left - right - 0.1, left - right + 0.1, 9)
    return MetricsTest(a, b, "spearman", 9, PairedTest(left, right, difference, p, p), p=p)


def test_the_first_versions_figures_stand_beside_its_own_setting() -> None:
    for metric in q2_other_sets.TOPICAL:
        options = set(metric.split(",")[1:])
        assert {"compat=paper", "nli=off", "personal=keep", "top=1"} <= options
    for metric, (_, coverage, paper) in q2_other_sets.DNLI_METRICS.items():
        first = {"compat=paper", "personal=keep", "top=1"} <= set(metric.split(","))
        assert first == (paper is not None) == (coverage is not None)
    assert set(q2_sets.BASE_WITH_NLI.split(",")) == set(q2_sets.BASE.split(",")) - {"nli=off"}


def test_where_a_baseline_is_better_the_page_says_so() -> None:
    tests = [
        compared("q2", "overlap", 0.694, 0.751, 0.8),
        compared("q2", "bleu", 0.694, 0.2, 0.01),
        compared("q2,compat=paper", "overlap", 0.336, 0.751, 0.008),
    ]
    ours, published, conclusion = q2_other_sets.what_follows(tests).strip().splitlines()
    assert ours == (
        "Our default Q² is significantly better than `bleu` (0.694 against 0.200); not "
        "significantly different from `overlap` (0.694 against 0.751)."
    )
    assert published == (
        "Q² as published is significantly worse than `overlap` (0.336 against 0.751)."
    )
    assert conclusion.endswith("is not reproduced here.")


def test_a_lead_within_chance_is_called_that() -> None:
    sentences = [q2_tables.in_words(compared("a", "b", 0.8, 0.7, p)) for p in (0.3, 0.01)]
    assert "is not significant, p = 0.300" in sentences[0]
    assert "is significant, p = 0.010" in sentences[1]


@pytest.mark.slow
def test_the_page_runs_through_with_a_few_examples(published_data: Path, tmp_path: Path) -> None:
    page = q2.page(tmp_path / "runs", {}, limit=16, file=tmp_path / "q2.md")
    for passage in (
        "end-to-end NLI, as published",
        "end-to-end NLI, by probability",
        "Q² as published",
        "a draw for each system",
        "Fleiss' κ",
        "+ coreference",
        "five, without the original human one",
        "| human | random |",
        "paper: coverage, not neutral",
        "Williams' p (Pearson)",
        "So the paper's lead of Q² over every baseline",
    ):
        assert passage in page
    assert (tmp_path / "pictures" / "q2-systems.svg").exists()
