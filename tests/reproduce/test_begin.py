"""The BEGIN page shows figures that know no label shares of the set, and says what is worse."""

from __future__ import annotations

from pathlib import Path

import pytest
from reproduce import begin


def test_what_beats_the_headline_score_is_said() -> None:
    rows = [
        ["`overlap`", "", "", "+0.059 (p = 0.004)"],
        ["`begin`", "", "", "-0.035 (p = 0.002)"],
        ["`nli`", "", "", "-0.000 (p = 0.957)"],
        ["`consistency`", "", "", "–"],
    ]
    assert begin.beaten(rows) == (
        "`consistency` is significantly better than `overlap` (p < 0.05); significantly worse than "
        "`begin` (p < 0.05); not significantly different from `nli`."
    )


def test_the_published_classifier_stands_beside_the_trivial_rule_and_the_papers_best() -> None:
    rule = begin.AccuracyRow("**trivial rule: overlap > 0.3**", (0.75, None, None, None))
    ours = begin.AccuracyRow(f"ours (`{begin.PUBLISHED}`)", (0.767, None, None, None))
    sentence = begin.silver_differs([rule, ours])
    assert "0.767, the better trivial rule 0.750, the paper's best model 0.710" in sentence
    assert sentence.endswith("The rule, too, is above the paper's models.")
    low = begin.AccuracyRow("trivial rule", (0.6, None, None, None))
    assert "The rule, too" not in begin.silver_differs([low, ours])


def test_only_matrices_of_trained_variants_are_shown() -> None:
    silver = begin.AccuracyRow("ours: silver only", (0.7, 0.45, None, None))
    dnli = begin.AccuracyRow("ours: DNLI only", (None,) * 4)
    assert begin.pictures([silver, dnli]) == (
        "![NLI only](pictures/begin-nli.svg) ![silver only](pictures/begin-silver.svg) "
        "![NLI + silver](pictures/begin-both.svg)"
    )


def test_the_row_of_a_variant_that_is_not_at_hand_is_kept(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    assert begin.kept_row("ours: x", page).figures == (None,) * 4
    page.write_text("| ours: x | 0.407 | 0.305 |  |  |\n", "utf-8")
    assert begin.kept_row("ours: x", page).figures == (0.407, 0.305, None, None)


@pytest.mark.slow
def test_the_page_runs_through_with_a_few_examples(
    published_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(begin, "CHECKPOINTS", tmp_path)
    page = tmp_path / "begin.md"
    begin.main(["--limit", "24", "--work", str(tmp_path / "runs"), "--page", str(page)])
    text = page.read_text("utf-8")
    for passage in (
        "ours: NLI only (`nli,score=paper`)",
        "ours: NLI + silver, as published (`begin,compat=paper`)",
        "| ours: silver only |  |  |  |  |",
        "Of `begin,compat=paper`, the five-way classifier",
        "Weights: `staytrue-",
    ):
        assert passage in text
    shown = {picture.name for picture in (tmp_path / "pictures").iterdir()}
    assert shown == {"begin-nli.svg", "begin-both.svg"}


def test_a_picture_of_errors_counts_every_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[list[list[int]]] = []
    monkeypatch.setattr(begin, "confusion_svg", lambda *parts: drawn.append(parts[-1]) or "<svg/>")
    monkeypatch.setattr(begin, "write_picture", lambda *_: None)
    begin.draw(tmp_path, "", ["generic", "", "entailment"], ["generic"] * 3, "begin.svg")
    assert sum(map(sum, drawn[0])) == 3
