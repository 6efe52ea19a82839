"""Agreement of a run with people, for yes/no labels, classes and ratings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from staytrue.core.errors import UsageError
from staytrue.core.records import Example, Verdict
from staytrue.runs.folder import Run
from staytrue.runs.writer import RunWriter
from staytrue.studies.agreement import agreement, paired_tests

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
    figures = agreement(run(tmp_path, rows), draws=20)["m"].yes_no
    assert figures is not None
    assert figures.roc_auc.value == 1
    assert figures.accuracy_at_half.value == 1
    assert figures.consistent.f1.value == figures.inconsistent.f1.value == 1
    assert 0.1 <= figures.best_threshold < 0.9
    assert figures.roc_auc.low < 1
    assert figures.average_precision.value == 1


def test_abstentions_are_counted_and_left_out_or_given_a_score(tmp_path: Path) -> None:
    rows = [
        (Example("1", "r", consistent=True), Verdict("1", "m", 0.9)),
        (Example("2", "r", consistent=False), Verdict("2", "m", None, reason="empty")),
        (Example("nobody judged it", "r"), Verdict("nobody judged it", "m", None, reason="empty")),
    ]
    opened = run(tmp_path, rows)
    figures = agreement(opened, draws=20)["m"]
    assert (figures.n, figures.abstained) == (1, 1)
    counted = agreement(opened, draws=20, abstained_as=0.0)["m"].yes_no
    assert counted is not None
    assert counted.roc_auc.value == 1


def test_a_run_without_scores_says_where_the_reasons_are(tmp_path: Path) -> None:
    rows = [(Example("1", "r", consistent=True), Verdict("1", "m", None, reason="empty"))]
    with pytest.raises(UsageError, match="reasons are in its verdicts and its report"):
        agreement(run(tmp_path, rows), draws=20)


def test_begins_classes_merge_for_a_three_way_metric(tmp_path: Path) -> None:
    rows = [
        (Example("1", "r", label="generic"), Verdict("1", "m", 0.1, "neutral")),
        (Example("2", "r", label="entailment"), Verdict("2", "m", 0.9, "entailment")),
    ]
    figures = agreement(run(tmp_path, rows), draws=20)["m"].classes
    assert figures is not None
    assert figures.accuracy.value == figures.macro_f1.value == 1


def test_positive_says_which_classes_count_as_consistent(tmp_path: Path) -> None:
    rows = [
        (Example(label, "r", label=label), Verdict(label, "m", score))
        for label, score in (("entailment", 0.9), ("neutral", 0.8), ("contradiction", 0.1))
    ]
    figures = agreement(run(tmp_path, rows), draws=20, positive={"entailment", "neutral"})[
        "m"
    ].yes_no
    assert figures is not None
    assert figures.n_consistent == 2
    assert figures.roc_auc.value == 1


def test_ratings_give_correlations(tmp_path: Path) -> None:
    rows = [(Example(str(n), "r", rating=n), Verdict(str(n), "m", n / 10)) for n in range(5)]
    figures = agreement(run(tmp_path, rows), draws=20)["m"].graded
    assert figures is not None
    assert figures.spearman.value == figures.pearson.value == pytest.approx(1)
    assert figures.mse is None  # the ratings are not on the scores' scale


def test_as_json_figures_are_named_as_people_write_them_and_absent_ones_left_out(
    tmp_path: Path,
) -> None:
    rows = [
        (Example(str(n), "r", rating=n, consistent=n > 2), Verdict(str(n), "m", n / 10))
        for n in range(5)
    ]
    body = agreement(run(tmp_path, rows), draws=20)["m"].to_json()
    assert body["yes_no"]["accuracy_at_0.5"]["value"] == pytest.approx(0.6)
    assert body["yes_no"]["consistent"]["recall"]["value"] == 0
    assert set(body["graded"]) == {"n", "documents", "spearman", "pearson"}
    assert body["classes"] is None


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
    (test,) = paired_tests(opened, [("m", "n")], draws=50)
    assert (test.figure, test.n) == ("roc_auc", 19)
    assert test.test is not None
    assert (test.test.a, test.test.b) == (1.0, 0.5)
    assert test.p == test.test.p_randomisation
    with pytest.raises(UsageError, match="no metric 'x'"):
        paired_tests(opened, [("x", "n")])


def judged_run(folder: Path, rows: list[tuple[Example, float | None]]) -> Run:
    with RunWriter(folder, {"m": "m|x:1", "n": "n|x:1"}) as writer:
        for example, score in rows:
            verdicts = [Verdict(example.id, "m", score, reason="r")]
            writer.add([example], [*verdicts, Verdict(example.id, "n", 0.3 + len(example.id) / 20)])
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
    assert paired_tests(run, [("m", "n")], draws=20)[0].n == 7
    (counted,) = paired_tests(run, [("m", "n")], draws=20, abstained_as=1.0)
    assert counted.n == 10


def noisy_run(folder: Path, seed: int = 0) -> Run:
    """Sixty rows in twelve dialogues, rated and judged by people at random, two metrics."""
    rng = np.random.default_rng(seed)
    rows = []
    for n in range(60):
        example = Example(
            str(n), "r", consistent=bool(rng.random() < 0.5), rating=float(rng.random()),
            tags={"dialogue": str(n // 5)},
        )  # fmt: skip
        rows += [(example, Verdict(str(n), name, float(rng.random()))) for name in "mn"]
    return run(folder, rows)


def test_figures_are_clustered_by_dialogue_and_repeat_by_seed(tmp_path: Path) -> None:
    opened = noisy_run(tmp_path)
    figures = agreement(opened, draws=50)["m"]
    assert figures.yes_no is not None
    assert figures.graded is not None
    for figure in (figures.yes_no.roc_auc, figures.yes_no.average_precision,
                   figures.yes_no.accuracy_at_half, figures.graded.spearman):  # fmt: skip
        assert figure.clusters == 12
        assert figure.low < figure.value < figure.high
    assert agreement(opened, draws=50)["m"] == figures


def test_accuracy_at_the_best_threshold_is_not_fitted_to_the_rows_it_counts(
    tmp_path: Path,
) -> None:
    fitted, honest = [], []
    for seed in range(8):
        yes_no = agreement(noisy_run(tmp_path / str(seed), seed), draws=10)["m"].yes_no
        assert yes_no is not None
        fitted.append(yes_no.accuracy_at_best_fitted)
        honest.append(yes_no.accuracy_at_best.value)
    assert sum(fitted) / 8 > 0.57
    assert sum(honest) / 8 < 0.55


def test_several_tests_are_corrected(tmp_path: Path) -> None:
    opened = noisy_run(tmp_path)
    alone, again = paired_tests(opened, [("m", "n"), ("n", "m")], draws=50)
    assert alone.test is not None
    assert alone.p == pytest.approx(min(1.0, 2 * alone.test.p_randomisation))
    assert again.p is not None


def test_correlations_with_ratings_get_williams_test(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = []
    for n in range(80):
        truth = rng.normal()
        example = Example(str(n), "r", rating=float(truth))
        good, bad = 0.5 + truth / 9 + rng.normal(0, 0.02), rng.random()
        rows.append((example, Verdict(str(n), "m", float(np.clip(good, 0, 1)))))
        rows.append((example, Verdict(str(n), "n", float(bad))))
    (test,) = paired_tests(run(tmp_path, rows), [("m", "n")], draws=50)
    assert test.williams is not None
    assert test.williams.r_a > 0.9
    assert test.williams.p < 1e-6
