"""Run in an environment with datasets and evaluate: see test_bridges.py."""

import datasets
import pytest

from staytrue.core.errors import UsageError
from staytrue.integrations.huggingface import StaytrueMetric, add_scores

ROWS = {
    "answer": ["coffee comes from ethiopia", "tea grows in norway", ""],
    "knowledge": ["coffee comes from ethiopia"] * 3,
}


def test_a_dataset_gets_columns_of_scores_and_reasons():
    given = datasets.Dataset.from_dict(ROWS)
    scored = add_scores(given, "overlap", columns={"response": "answer"})
    assert scored.column_names == [
        "answer", "knowledge", "overlap", "overlap_label", "overlap_reason",
    ]  # fmt: skip
    assert scored["overlap"][:] == [1.0, 0.0, None]
    assert all(scored["overlap_reason"])
    assert given.column_names == ["answer", "knowledge"]


def test_passages_in_lists_are_read():
    given = datasets.Dataset.from_dict(
        {"response": ["coffee"], "knowledge": [["tea is green", "coffee is black"]]}
    )
    assert add_scores(given, "overlap")["overlap"][:] == [0.4]


def test_a_column_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(UsageError, match="no column 'reply'; its columns are answer, knowledge"):
        add_scores(datasets.Dataset.from_dict(ROWS), "overlap", columns={"response": "reply"})


def test_evaluate_computes_the_mean_and_each_score():
    figures = StaytrueMetric("overlap").compute(
        predictions=ROWS["answer"], references=ROWS["knowledge"]
    )
    assert figures == {"staytrue": 0.5, "scores": [1.0, 0.0, None]}
