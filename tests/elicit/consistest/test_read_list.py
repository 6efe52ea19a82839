"""The questions that were read and scored are still the ones that the rules ask."""

from __future__ import annotations

from pathlib import Path

from staytrue.elicit.consistest import yes_no_questions

LIST = Path(__file__).parents[3] / "docs" / "yes-no-questions-read.md"


def test_the_rules_ask_what_was_read() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|\n").split("|")]
        for line in LIST.read_text("utf-8").splitlines()
        if line.startswith("|") and line[2:3].isdigit()
    ]
    assert len(rows) == 200
    right = [row for row in rows if row[5].startswith("yes")]
    assert len(right) >= 0.95 * len(rows)
    for (_, statement, question, truth, form, _), made in zip(
        rows, yes_no_questions([row[1] for row in rows]), strict=True
    ):
        assert (question, truth, form) in [(q.question, q.truth, q.form) for q in made], statement
