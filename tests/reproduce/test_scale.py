"""The model of time and cost: what the simulation says, and which limit comes first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reproduce import scale
from reproduce.scale import (
    MachineRates,
    RunPlan,
    breaks_first,
    model,
    plan_for,
    rate_of,
    scaling_shown,
    simulate,
    simulated,
)

from staytrue.core.records import Example
from staytrue.runs.ids import KeySet
from staytrue.runs.merge import merge
from staytrue.runs.runner import in_shard
from staytrue.runs.writer import RunWriter

SITE = MachineRates(judge=20, stage=10_000, store=8_000, start=5)


@settings(max_examples=8)
@given(
    st.sampled_from([2_000, 20_000]),
    st.integers(1, 200),
    st.floats(1, 200),
    st.floats(0, 0.2),
    st.floats(0, 1),
)
# Partitions of one row, which differ most in length: the last of them decides.
@example(2_000, 161, 1.0, 0.189453125, 0.0)
@example(2_000, 200, 1.0, 0.2, 0.0)
def test_the_model_agrees_with_the_simulation(
    rows: int, workers: int, judge: float, slow: float, losses: float
) -> None:
    site = replace(SITE, judge=judge, slow_share=slow, losses=losses)
    plan = RunPlan(rows, workers, max(1, min(256, rows // (workers * 8))))
    expected = model(plan, site).total
    assert simulated(plan, site) == pytest.approx(expected, rel=0.2)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_with_few_workers_luck_hardly_counts(workers: int) -> None:
    # Of the first three draws one makes a lone worker slow, though it is one in twenty.
    plan = RunPlan(10_000, workers, 256)
    assert simulated(plan, SITE) == pytest.approx(model(plan, SITE).total, rel=0.1)


def test_nothing_unlucky_is_plain_division() -> None:
    site = MachineRates(judge=10, stage=1e9, store=1e9, start=0, latency=0, slow_share=0, losses=0)
    assert model(RunPlan(10_000, 10, 10), site).total == pytest.approx(100, rel=0.01)
    assert simulate(RunPlan(10_000, 10, 10), site) == pytest.approx(100, rel=0.1)


def test_losses_too_rare_to_count_are_none() -> None:
    plan = RunPlan(10_000, 10, 10)
    rare = simulate(plan, replace(SITE, losses=5e-324))
    assert rare == simulate(plan, replace(SITE, losses=0))


def test_losses_and_slow_workers_cost_time() -> None:
    plan = RunPlan(100_000, 20, 256)
    calm = simulate(plan, replace(SITE, slow_share=0, losses=0))
    assert simulate(plan, replace(SITE, slow_share=0.3, losses=0)) > 1.1 * calm
    assert simulate(plan, replace(SITE, slow_share=0, losses=20)) > 1.05 * calm


def test_storing_bounds_the_rate_however_many_workers_there_are() -> None:
    plan = RunPlan(1_000_000, 10_000, 25)
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


@pytest.mark.parametrize(("rows", "files"), [(10**8, "20"), (10**9, "200")])
def test_where_keys_do_not_fit_the_input_is_split_and_the_runs_are_not_merged(
    rows: int, files: str
) -> None:
    remedy = breaks_first(plan_for(rows, SITE), SITE)[1]
    assert f"split into {files} files" in remedy
    assert "no `--shard` and no `merge`" in remedy
    assert SITE.memory > scale.ROWS_PER_DRIVER * max(scale.KEY_BYTES, scale.COMPARED_BYTES)


def test_a_shard_and_a_merged_run_keep_the_keys_of_all_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[KeySet] = []

    class Noted(KeySet):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr("staytrue.runs.runner.KeySet", Noted)
    rows = [Example(str(n), "tea", "tea") for n in range(100)]
    assert len(list(in_shard(rows, 1, 10))) < 30
    assert [len(keys) for keys in made] == [100]
    for part in range(2):
        with RunWriter(tmp_path / str(part), {"m": "m|1"}) as writer:
            writer.add(rows[part::2])
    monkeypatch.setattr("staytrue.runs.tally.KeySet", Noted)
    made.clear()
    merge([tmp_path / "0", tmp_path / "1"], tmp_path / "all")
    assert max(len(keys) for keys in made) == 100


def test_a_rate_leaves_out_what_was_judged_before_the_first_look() -> None:
    assert rate_of([(0.0, 0), (5.0, 8), (6.0, 0), (7.0, 16), (9.0, 24)]) == 10


def test_efficiencies_are_told_with_their_mean() -> None:
    assert "efficiency 0.90 on average (0.80, 1.00)." in scaling_shown([0.8, 1.0])
    assert "not measured" in scaling_shown([])


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
