"""The model of time and cost: what the simulation says, and which limit comes first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reproduce import scale
from reproduce.scale import Plan, Site, breaks_first, model, plan_for, simulate

SITE = Site(judge=20, stage=10_000, store=8_000, start=5)


@settings(max_examples=30)
@given(
    st.sampled_from([10_000, 100_000]),
    # With fewer workers it is luck whether one of them is slow, and the model knows averages only.
    st.integers(10, 200),
    st.floats(1, 200),
    st.floats(0, 0.2),
    st.floats(0, 1),
)
def test_the_model_agrees_with_the_simulation(
    rows: int, workers: int, judge: float, slow: float, losses: float
) -> None:
    site = replace(SITE, judge=judge, slow_share=slow, losses=losses)
    plan = Plan(rows, workers, max(1, min(256, rows // (workers * 8))))
    expected = model(plan, site).total
    simulated = sum(simulate(plan, site, seed) for seed in range(3)) / 3
    assert simulated == pytest.approx(expected, rel=0.2)


def test_nothing_unlucky_is_plain_division() -> None:
    site = Site(judge=10, stage=1e9, store=1e9, start=0, latency=0, slow_share=0, losses=0)
    assert model(Plan(10_000, 10, 10), site).total == pytest.approx(100, rel=0.01)
    assert simulate(Plan(10_000, 10, 10), site) == pytest.approx(100, rel=0.1)


def test_losses_too_rare_to_count_are_none() -> None:
    plan = Plan(10_000, 10, 10)
    rare = simulate(plan, replace(SITE, losses=5e-324))
    assert rare == simulate(plan, replace(SITE, losses=0))


def test_losses_and_slow_workers_cost_time() -> None:
    plan = Plan(100_000, 20, 256)
    calm = simulate(plan, replace(SITE, slow_share=0, losses=0))
    assert simulate(plan, replace(SITE, slow_share=0.3, losses=0)) > 1.1 * calm
    assert simulate(plan, replace(SITE, slow_share=0, losses=20)) > 1.05 * calm


def test_storing_bounds_the_rate_however_many_workers_there_are() -> None:
    plan = Plan(1_000_000, 10_000, 25)
    assert model(plan, SITE).store_bound
    assert simulate(plan, SITE) > 1_000_000 / SITE.store
    assert "storing" in breaks_first(plan, SITE)[0]


@pytest.mark.parametrize(
    ("rows", "limit"),
    [(1, "starting Ray"), (20_000, "one worker"), (1_000_000, "number of workers"),
     (1_000_000_000, "memory")],
)  # fmt: skip
def test_each_size_has_its_own_limit(rows: int, limit: str) -> None:
    assert limit in breaks_first(plan_for(rows, SITE), SITE)[0]


def test_a_plan_takes_about_an_hour_and_keeps_all_workers_busy() -> None:
    plan = plan_for(1_000_000, SITE)
    assert plan.workers == 14
    assert plan.partitions >= 4 * plan.workers


def test_the_driver_is_measured_and_the_page_written(tmp_path: Path) -> None:
    stage, store = scale.driver_rates(300)
    assert stage > 50
    assert store > 50
    page = tmp_path / "scale.md"
    site = replace(SITE, stage=stage, store=store)
    sizes, scale.SIZES = scale.SIZES, (1_000, 10_000)
    try:
        scale.write(page, "q2", site, 40, (0.04, 0.6), "Measured nowhere.", [0.9])
    finally:
        scale.SIZES = sizes
    text = page.read_text("utf-8")
    assert "Measured nowhere." in text
    assert "(not measured)" in text
    assert text.count("\n| 10,000 |") == 2
