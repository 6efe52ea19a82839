"""`compare` as a gate: it exits with status 1 only if B is significantly worse."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.test_score import save
from tests.conftest import Command

KNOWLEDGE = "the mill by the river grinds wheat and rye"


@pytest.fixture
def runs(staytrue: Command, tmp_path: Path) -> Command:
    """Run folders "good" and "bad" of the same twenty questions."""
    responses = {"good": KNOWLEDGE, "bad": "the moon is made of cheese and wheat"}
    for name, response in responses.items():
        rows = [
            {"id": str(n), "knowledge": KNOWLEDGE, "response": f"{response} {'yes ' * (n % 3)}"}
            for n in range(20)
        ]
        save(tmp_path / f"{name}.jsonl", rows)
        staytrue("score", f"{name}.jsonl", "--metric", "overlap", "--out", name)
    return staytrue


def test_a_fall_ends_with_1_and_names_the_metric(runs: Command) -> None:
    result = runs("compare", "good", "bad", "--fail-if-worse")
    assert result.returncode == 1
    assert "B is worse than A on overlap." in result.stderr
    assert runs("compare", "good", "bad", "--fail-if-worse", "--json").returncode == 1


def test_a_rise_or_no_change_ends_with_0(runs: Command) -> None:
    assert runs("compare", "bad", "good", "--fail-if-worse").returncode == 0
    assert runs("compare", "good", "good", "--fail-if-worse").returncode == 0


def test_without_the_gate_a_fall_is_only_shown(runs: Command) -> None:
    assert runs("compare", "good", "bad").returncode == 0


def test_rows_of_a_single_document_are_not_clustered_and_the_table_says_so(runs: Command) -> None:
    shown = runs("compare", "good", "bad").stdout
    assert "independent, although they come from only 1 dialogue or document" in shown
    assert shown.count("independent") == 1


def test_the_examples_that_fell_most_are_shown(runs: Command) -> None:
    shown = runs("compare", "good", "bad").stdout
    assert "Largest drops" in shown
    assert "Largest drops" not in runs("compare", "bad", "good").stdout


def test_answers_that_are_missing_do_not_pass_the_gate(runs: Command, tmp_path: Path) -> None:
    rows = [
        {"id": str(n), "knowledge": KNOWLEDGE, "response": KNOWLEDGE if n % 2 else ""}
        for n in range(20)
    ]
    save(tmp_path / "half.jsonl", rows)
    runs("score", "half.jsonl", "--metric", "overlap", "--out", "half")
    result = runs("compare", "good", "half", "--fail-if-worse")
    assert result.returncode == 1
    assert "B has no overlap score for 10 of the examples" in result.stderr


def test_a_metric_that_only_one_run_has_is_named(runs: Command) -> None:
    runs("score", "bad.jsonl", "--metric", "overlap", "--metric", "bleu", "--out", "both")
    assert "Only one of the runs has bleu" in runs("compare", "good", "both").stderr


def test_the_number_of_examples_that_a_difference_needs_is_told(runs: Command) -> None:
    shown = runs("compare", "good", "bad", "--detect", "0.03").stdout
    assert "detectable: the smallest difference" in shown
    assert "examples detect a difference of 0.03 in 80 % of runs" in shown


def test_rows_of_other_contexts_are_counted_in_a_sentence(runs: Command, tmp_path: Path) -> None:
    rows = [
        {"id": str(n), "knowledge": f"{KNOWLEDGE} {n}", "response": KNOWLEDGE} for n in range(20)
    ]
    save(tmp_path / "else.jsonl", rows)
    runs("score", "else.jsonl", "--metric", "overlap", "--out", "else")
    result = runs("compare", "good", "else")
    assert "20 examples have the same id but a different question" in result.stderr
    assert "two samples" in result.stdout


def test_a_run_of_other_ids_with_too_few_scores_does_not_pass_the_gate(
    runs: Command, tmp_path: Path
) -> None:
    rows = [{"id": f"new {n}", "knowledge": KNOWLEDGE, "response": KNOWLEDGE} for n in range(12)]
    save(tmp_path / "few.jsonl", rows)
    runs("score", "few.jsonl", "--metric", "overlap", "--out", "few")
    result = runs("compare", "good", "few", "--fail-if-worse")
    assert result.returncode == 1
    assert "B has 12 scores by overlap, A has 20, and the runs share no id." in result.stderr


def test_answers_from_a_changed_index_are_paired_by_their_questions(
    runs: Command, tmp_path: Path
) -> None:
    for name, more in (("before", ""), ("after", "and barley")):
        rows = [
            {"id": str(n), "message": f"question {n}", "knowledge": f"{KNOWLEDGE} {more}",
             "response": KNOWLEDGE}
            for n in range(20)
        ]  # fmt: skip
        save(tmp_path / f"{name}.jsonl", rows)
        runs("score", f"{name}.jsonl", "--metric", "overlap", "--out", name)
    result = runs("compare", "before", "after", "--fail-if-worse")
    assert "pairs" in result.stdout
    assert "overlap: 20 pairs judged against different knowledge" in result.stderr
