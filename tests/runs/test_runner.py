"""Running: same verdicts at any batch size, order or shard; every row ends somewhere."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import staytrue
from staytrue.core.errors import DataError, ModelError, UsageError
from staytrue.core.records import Example, Failure, Verdict
from staytrue.plugins.registry import NamedMetric
from staytrue.runs.folder import Run
from staytrue.runs.runner import (
    Evaluation,
    evaluate,
    in_shard,
    judge_all,
    load_metrics,
    read_inputs,
)
from staytrue.runs.writer import RunWriter

WORDS = "coffee tea bean river moon dog".split()
EXAMPLES = [Example(str(n), " ".join(WORDS[: n % 5]), " ".join(WORDS[n % 3 :])) for n in range(20)]


class Fragile:
    """Fails on responses that say so."""

    def judge(self, examples: Sequence[Example]) -> list[Verdict]:
        if any("fail" in e.response for e in examples):
            raise ValueError("cannot judge this")
        return [Verdict(e.id, "fragile", 1.0) for e in examples]


FRAGILE = NamedMetric("fragile", Fragile(), "fragile|seed:0")


@given(st.integers(1, 30), st.permutations(range(20)))
@settings(max_examples=20)
def test_neither_batch_size_nor_order_changes_a_verdict(size: int, order: list[int]) -> None:
    shuffled = evaluate([EXAMPLES[i] for i in order], ["overlap"], batch_size=size)
    assert sorted(shuffled.verdicts, key=lambda v: v.example_id) == in_one_batch()


@functools.cache
def in_one_batch() -> list[Verdict]:
    verdicts = evaluate(EXAMPLES, ["overlap"], batch_size=len(EXAMPLES)).verdicts
    return sorted(verdicts, key=lambda v: v.example_id)


@given(st.integers(1, 7))
def test_shards_are_disjoint_and_complete(of: int) -> None:
    parts = [list(in_shard(EXAMPLES, number, of)) for number in range(1, of + 1)]
    assert sorted(e.id for part in parts for e in part if isinstance(e, Example)) == sorted(
        e.id for e in EXAMPLES
    )


def test_every_row_ends_as_verdict_abstention_or_error(tmp_path: Path) -> None:
    rows: list[Example | Failure] = [
        Example("1", "good"), Example("2", "fail"), Example("3", "good"), Failure("f:4", "broken"),
    ]  # fmt: skip
    with RunWriter(tmp_path, {"fragile": FRAGILE.signature}) as writer:
        judge_all(rows, [FRAGILE], writer)
        counts = writer.counts
    assert counts["metrics"]["fragile"]["scored"] == 2
    assert counts["metrics"]["fragile"]["failed"] == 1
    assert counts["unreadable"] == 1
    assert {f.where: f.error for f in Run(tmp_path).failures()} == {
        "2": "The metric failed: ValueError: cannot judge this",
        "f:4": "broken",
    }


def test_rows_with_the_same_id_are_all_judged() -> None:
    result = evaluate([Example("x", "coffee", "coffee")] * 3 + [Example("x#2", "tea", "tea")],
                      ["overlap"])  # fmt: skip
    assert [v.example_id for v in result.verdicts] == ["x", "x#2", "x#3", "x#2#2"]


def test_a_changed_row_is_an_error_and_not_mixed_in(tmp_path: Path) -> None:
    evaluate([Example("1", "coffee", "coffee")], ["overlap"], out=tmp_path)
    result = evaluate([Example("1", "tea", "coffee")], ["overlap"], out=tmp_path)
    assert [v.score for v in result.verdicts] == [1.0]
    assert "with different content" in result.failures[0].error


@pytest.mark.parametrize("score", [float("nan"), 1.5, -1])
def test_a_score_out_of_range_is_an_error(score: float) -> None:
    class Wild:
        def judge(self, examples: Sequence[Example]) -> list[Verdict]:
            return [Verdict(e.id, "wild", score) for e in examples]

    result = Evaluation({})
    judge_all([Example("1", "r")], [NamedMetric("wild", Wild(), "wild")], result)
    assert not result.verdicts
    assert "not in [0, 1]" in result.failures[0].error


def test_a_metric_must_say_why_it_abstains() -> None:
    class Silent:
        def judge(self, examples: Sequence[Example]) -> list[Verdict]:
            return [Verdict(e.id, "silent", None) for e in examples]

    result = Evaluation({})
    judge_all([Example("1", "r")], [NamedMetric("silent", Silent(), "silent")], result)
    assert "without a reason" in result.failures[0].error


def test_a_missing_model_stops_the_run_with_its_own_sentence() -> None:
    class Modelless:
        def judge(self, examples: Sequence[Example]) -> list[Verdict]:
            raise ModelError("The model file is missing.")

    metric = NamedMetric("modelless", Modelless(), "modelless")
    with pytest.raises(ModelError, match="missing"):
        judge_all([Example("1", "r")], [metric], Evaluation({}))


def test_one_row_that_could_not_be_read_is_one_row() -> None:
    result = Evaluation({})
    judge_all([Failure("f:4", "broken")], [], result)
    assert str(result) == "1 row not read: see failures"


def test_strict_stops_at_the_first_bad_row() -> None:
    with pytest.raises(DataError, match="f:4: broken"):
        judge_all([Failure("f:4", "broken")], [FRAGILE], Evaluation({}), strict=True)


def test_the_same_metric_twice_is_refused_but_variants_share_a_run() -> None:
    with pytest.raises(UsageError, match="named twice"):
        evaluate(EXAMPLES, ["overlap", "overlap"])
    result = evaluate(EXAMPLES[:1], ["overlap", "overlap,stopwords=keep"])
    assert {v.metric for v in result.verdicts} == {"overlap", "overlap,stopwords=keep"}


def test_columns_are_not_for_named_benchmarks() -> None:
    with pytest.raises(UsageError, match="knows its own columns"):
        list(read_inputs(["q2:x.csv"], {"response": "answer"}))


def test_the_example_of_the_documentation_runs() -> None:
    run = staytrue.evaluate(
        [staytrue.Example(id="1", response="Coffee is a plant.", knowledge="Coffee is a drink.")],
        metrics=["overlap"],
    )
    assert run.verdicts[0].score == 0.5
    assert run.mean("overlap") == 0.5


@pytest.mark.parametrize("wrong", [{"id": "1"}, Example(1, "tea", "tea"), Example("1", "tea", 5)])
def test_objects_that_are_no_examples_are_refused_in_one_sentence(wrong: object) -> None:
    with pytest.raises(UsageError, match="Example 2"):
        evaluate([EXAMPLES[1], wrong], ["overlap"])  # type: ignore[list-item]


def test_one_metric_may_be_named_without_a_list() -> None:
    result = evaluate(EXAMPLES[:2], "overlap")
    assert result.mean("overlap") is not None
    with pytest.raises(UsageError, match="'nli' is not a metric of this evaluation"):
        result.mean("nli")


def test_shards_name_repeated_ids_as_the_whole_does() -> None:
    rows = [Example(name, str(n)) for n, name in enumerate(["q", "q", "q#2"] * 3)]
    whole = Evaluation({"overlap": "x"})
    judge_all(rows, [load_metrics(["overlap"])[0]], whole)
    parts = [
        item.id for n in (1, 2, 3) for item in in_shard(rows, n, 3) if isinstance(item, Example)
    ]
    assert sorted(parts) == sorted(v.example_id for v in whole.verdicts)
    assert len(set(parts)) == len(rows)


def test_judgements_as_table_libraries_give_them_are_taken(tmp_path: Path) -> None:
    given = [
        Example("1", "r", "k", consistent=np.True_, rating=np.float32(0.5)),
        Example("2", "r", "k", consistent=float("nan"), rating=float("nan")),
    ]
    evaluate(given, metrics=["overlap"], out=tmp_path)
    stored = [(e.consistent, e.rating) for e in Run(tmp_path).examples()]
    assert stored == [(True, 0.5), (None, None)]


@pytest.mark.parametrize("wrong", [{"consistent": "yes"}, {"rating": "good"}, {"rating": math.inf}])
def test_judgements_that_are_none_are_refused_in_one_sentence(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="Example 1 needs"):
        evaluate([Example("1", "r", "k", **wrong)], metrics=["overlap"])


def test_progress_moves_before_a_whole_batch_is_done() -> None:
    done: list[int] = []
    result = Evaluation({})
    judge_all(EXAMPLES, load_metrics(["overlap"]), result, batch_size=20, progress=done.append)
    assert sum(done) == len(EXAMPLES)
    assert done[0] == 1
