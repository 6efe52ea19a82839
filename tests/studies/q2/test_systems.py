"""Simulated systems are put in order by a metric that sees the difference."""

from __future__ import annotations

import numpy as np
import pytest

from staytrue.core.errors import UsageError
from staytrue.core.records import Example, Turn
from staytrue.studies.q2.systems import SHARES, Contexts, mixed_contexts, robustness, simulate


def contexts(good: list[float], bad: list[float]) -> Contexts:
    return Contexts(np.array(good), np.array(bad), 0)


def test_a_perfect_metric_orders_every_draw() -> None:
    result = simulate(contexts([1.0] * 20, [0.0] * 20), draws=50)
    assert (result.spearman, result.low, result.high) == (1.0, 1.0, 1.0)
    # round(share × 350) contexts fail
    assert [s.mean for s in result.systems] == [
        pytest.approx(1 - round(share * 350) / 350) for share in SHARES
    ]


def test_a_blind_metric_finds_no_order() -> None:
    assert simulate(contexts([0.5] * 20, [0.5] * 20), draws=20).spearman == 0.0


def test_a_metric_that_is_upside_down_is_anticorrelated() -> None:
    assert simulate(contexts([0.0] * 9, [1.0] * 9), draws=20).spearman == -1.0


def test_draws_repeat_by_seed() -> None:
    rng = np.random.default_rng(1)
    noisy = contexts(list(rng.random(60) + 0.1), list(rng.random(60)))
    assert simulate(noisy, draws=40, seed=3) == simulate(noisy, draws=40, seed=3)
    assert simulate(noisy, draws=40, seed=3) != simulate(noisy, draws=40, seed=4)


def test_a_draw_for_each_system_is_harder_than_one_for_all() -> None:
    rng = np.random.default_rng(1)
    pairs = Contexts(rng.random(100), rng.random(100) * 0.7, 0)
    shared, apart = simulate(pairs), simulate(pairs, shared=False)
    assert apart.spearman < shared.spearman


def test_contexts_need_one_response_of_each_kind_and_both_scores() -> None:
    def example(name: str, context: str, consistent: bool | None) -> Example:
        return Example(name, "r", "k", consistent=consistent, tags={"context": context})

    examples = [
        example("a", "1", True), example("b", "1", False),
        example("c", "2", True), example("d", "2", True),
        example("e", "3", True), example("f", "3", False),
        example("g", "4", None),
    ]  # fmt: skip
    scores = {"a": 0.9, "b": 0.2, "c": 1.0, "d": 1.0, "e": 0.5, "f": None, "g": 0.1}
    contexts = mixed_contexts(examples, scores)
    assert contexts.consistent.tolist() == [0.9]
    assert contexts.inconsistent.tolist() == [0.2]
    assert contexts.left_out == 1


def test_without_a_tag_knowledge_and_history_make_the_context() -> None:
    history = (Turn("user", "hi"),)
    examples = [
        Example("a", "x", "k", history, consistent=True),
        Example("b", "y", "k", history, consistent=False),
    ]
    assert len(mixed_contexts(examples, {"a": 1.0, "b": 0.0}).consistent) == 1


def test_too_few_contexts_say_what_to_do() -> None:
    with pytest.raises(UsageError, match="cross-annotation"):
        simulate(contexts([], []))


def test_the_score_falls_with_the_share_of_inconsistent_responses() -> None:
    points = robustness(np.array([0.8, 1.0]), np.array([0.0, 0.2]), draws=100)
    means = [point.mean for point in points]
    assert means == sorted(means, reverse=True)
    assert points[0].mean == pytest.approx(0.9, abs=0.01)
    assert points[-1].mean == pytest.approx(0.1, abs=0.01)
    assert all(point.low <= point.mean <= point.high for point in points)


def test_robustness_needs_both_kinds() -> None:
    with pytest.raises(UsageError):
        robustness(np.array([]), np.array([0.1]))
