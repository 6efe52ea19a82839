"""Agreement of a run with people, for yes/no labels, classes and ratings."""

from __future__ import annotations

from pathlib import Path

import pytest

from staytrue.core.errors import UsageError
from staytrue.core.records import Example, Verdict
from staytrue.runs.store import Run, RunWriter
from staytrue.studies.agreement import agreement, paired_test

SIGNATURES = {"m": "m|seed:0", "n": "n|seed:0"}


def run(folder: Path, rows: list[tuple[Example, Verdict]]) -> Run:
    with RunWriter(folder, SIGNATURES) as writer:
        writer.add([e for e, _ in rows], [v for _, v in rows])
    return Run(folder)


def test_yes_no_labels_give_auc_and_figures_of_both_classes(tmp_path: Path) -> None:
    rows = [
        (Example(str(n), "r", consistent=n % 2 == 0), Verdict(str(n), "m", 0.9 - 0.8 * (n % 2)))
        for n in range(10)
    ]
    found = agreement(run(tmp_path, rows), draws=20)["m"].yes_no
    assert found is not None
    assert found["roc_auc"].value == 1
    assert found["accuracy_at_0.5"].value == 1
    assert found["consistent"]["f1"].value == found["inconsistent"]["f1"].value == 1
    assert 0.1 <= found["best_threshold"] < 0.9


def test_abstentions_are_counted_and_left_out_or_given_a_score(tmp_path: Path) -> None:
    rows = [
        (Example("1", "r", consistent=True), Verdict("1", "m", 0.9)),
        (Example("2", "r", consistent=False), Verdict("2", "m", None, reason="empty")),
    ]
    opened = run(tmp_path, rows)
    found = agreement(opened, draws=20)["m"]
    assert (found.n, found.abstained) == (1, 1)
    counted = agreement(opened, draws=20, abstained_as=0.0)["m"].yes_no
    assert counted is not None
    assert counted["roc_auc"].value == 1


def test_begins_classes_merge_for_a_three_way_metric(tmp_path: Path) -> None:
    rows = [
        (Example("1", "r", label="generic"), Verdict("1", "m", 0.1, "neutral")),
        (Example("2", "r", label="entailment"), Verdict("2", "m", 0.9, "entailment")),
    ]
    found = agreement(run(tmp_path, rows), draws=20)["m"].classes
    assert found is not None
    assert found["accuracy"].value == found["macro_f1"].value == 1


def test_positive_says_which_classes_count_as_consistent(tmp_path: Path) -> None:
    rows = [
        (Example(label, "r", label=label), Verdict(label, "m", score))
        for label, score in (("entailment", 0.9), ("neutral", 0.8), ("contradiction", 0.1))
    ]
    found = agreement(run(tmp_path, rows), draws=20, positive={"entailment", "neutral"})["m"].yes_no
    assert found is not None
    assert found["n_consistent"] == 2
    assert found["roc_auc"].value == 1


def test_ratings_give_correlations(tmp_path: Path) -> None:
    rows = [(Example(str(n), "r", rating=n), Verdict(str(n), "m", n / 10)) for n in range(5)]
    found = agreement(run(tmp_path, rows), draws=20)["m"].graded
    assert found is not None
    assert found["spearman"].value == found["pearson"].value == pytest.approx(1)
    assert "mse" not in found  # the ratings are not on the scores' scale


def test_a_run_without_human_judgements_says_so(tmp_path: Path) -> None:
    rows = [(Example("1", "r"), Verdict("1", "m", 1.0))]
    with pytest.raises(UsageError, match="no human judgements"):
        agreement(run(tmp_path, rows))


def test_paired_uses_the_examples_that_both_scored(tmp_path: Path) -> None:
    rows = []
    for n in range(20):
        example = Example(str(n), "r", consistent=n % 2 == 0)
        rows.append((example, Verdict(str(n), "m", 0.9 if n % 2 == 0 else 0.1)))
        score = None if n == 0 else 0.5
        rows.append((example, Verdict(str(n), "n", score, reason="r")))
    opened = run(tmp_path, rows)
    name, n_pairs, test = paired_test(opened, "m", "n", draws=50)
    assert (name, n_pairs) == ("roc_auc", 19)
    assert test is not None
    assert (test.a, test.b) == (1.0, 0.5)
    with pytest.raises(UsageError, match="no metric 'x'"):
        paired_test(opened, "x", "n")


def judged_run(folder: Path, rows: list[tuple[Example, float | None]]) -> Run:
    with RunWriter(folder, {"m": "m|x:1", "n": "n|x:1"}) as writer:
        for example, score in rows:
            verdicts = [Verdict(example.id, "m", score, reason="r")]
            writer.add([example], [*verdicts, Verdict(example.id, "n", 0.3 + len(example.id) / 9)])
    return Run(folder)


def test_why_there_is_no_figure_is_said(tmp_path: Path) -> None:
    labelled = [(Example(str(n), "r", label="good"), 0.5) for n in range(3)]
    run = judged_run(tmp_path / "a", labelled)
    with pytest.raises(UsageError, match="--positive LABEL"):
        agreement(run, draws=10)
    with pytest.raises(UsageError, match=r"No example has the label 'Good'.*labels are good"):
        agreement(run, draws=10, positive={"Good"})
    plain = [(Example(str(n), "r"), 0.5) for n in range(3)]
    with pytest.raises(UsageError, match="no human judgements"):
        agreement(judged_run(tmp_path / "b", plain), draws=10)


def test_a_paired_test_counts_abstentions_as_it_is_told(tmp_path: Path) -> None:
    rows = [
        (Example("x" * n, "r", consistent=n % 2 == 0), None if n < 4 else n / 20)
        for n in range(1, 11)
    ]
    run = judged_run(tmp_path, rows)
    assert paired_test(run, "m", "n", draws=20)[1] == 7
    assert paired_test(run, "m", "n", draws=20, abstained_as=1.0)[1] == 10
