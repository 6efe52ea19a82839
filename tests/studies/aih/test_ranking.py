from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from staytrue.core.errors import RunError, UsageError
from staytrue.studies.aih import ranking
from staytrue.studies.aih.ranking import Count
from staytrue.studies.aih.records import ranking_from_json, ranking_to_json, read_ranking

BOTS = ["A", "B", "C"]
TRUE = {"A": 0.1, "B": 0.3, "C": 0.5}


def made(dialogues: int, rates: dict[str, float] = TRUE, seed: int = 0) -> list[Count]:
    draw = np.random.default_rng(seed)
    return [
        Count(first, second, 6, int(draw.binomial(6, rates[second])))
        for first in rates
        for second in rates
        for _ in range(dialogues)
    ]


def test_rates_of_pairs_and_bots_and_who_induces() -> None:
    counts = [
        Count("A", "A", 4, 1), Count("A", "A", 6, 1), Count("A", "B", 5, 5),
        Count("B", "A", 10, 5), Count("B", "B", 8, 2),
    ]  # fmt: skip
    table = ranking.tally(counts, ["A", "B"])
    assert table.rates().tolist() == [[0.2, 1.0], [0.5, 0.25]]
    assert ranking.bot_rates(table).tolist() == pytest.approx([0.35, 0.625])
    assert ranking.inducing(table).tolist() == pytest.approx([0.6, 0.375])


def test_a_pair_without_inquiries_has_no_rate_and_does_not_weigh() -> None:
    table = ranking.tally([Count("A", "B", 0, 0), Count("B", "B", 4, 1)], ["A", "B"])
    standings = ranking.rank(table, draws=50)
    assert standings.matrix["A"]["B"] is None
    assert [bot.contradiction_rate for bot in standings.bots] == [0.25, None]
    json.dumps(ranking_to_json(standings), allow_nan=False)


def test_no_dialogue_at_all_still_gives_a_summary() -> None:
    standings = ranking.rank(ranking.tally([], ["A", "B"]), draws=10)
    assert [bot.contradiction_rate for bot in standings.bots] == [None, None]


def test_equal_rates_share_a_rank_and_no_rate_has_none() -> None:
    counts = [Count(b, b, 40, n) for b, n in (("A", 20), ("B", 10), ("C", 10))]
    standings = ranking.rank(ranking.tally(counts, [*BOTS, "D"]), draws=10)
    ranks = {bot.bot: bot.rank for bot in standings.bots}
    assert ranks == {"B": 1, "C": 1, "A": 3, "D": None}


def test_a_bot_that_says_nothing_is_not_ranked_first() -> None:
    counts = [Count(first, bot, 6, 1, 10, 12) for first in BOTS for bot in "AB" for _ in range(9)]
    counts += [Count("A", "C", 2, 0, 10, 1), *(Count("B", "C", 0, 0, 10, 0) for _ in range(9))]
    standings = ranking.rank(ranking.tally(counts, BOTS), draws=50)
    silent = standings.bots[-1]
    assert (silent.bot, silent.rank) == ("C", None)
    assert "fewer than 20 inquiries" in silent.unranked
    assert [bot.rank for bot in standings.bots[:2]] == [1, 1]
    # How much each says stands beside its rate.
    assert [bot.inquiries_per_dialogue for bot in standings.bots] == [6, 6, 0.2]
    assert [bot.statements_per_turn for bot in standings.bots] == [1.2, 1.2, 0.01]
    assert {name for one in standings.differences for name in (one.a, one.b)} == {"A", "B"}
    assert "too few to rank" in str(standings)


def test_no_number_of_dialogues_is_claimed_from_a_few() -> None:
    (few, *_) = ranking.rank(ranking.tally(made(4), BOTS), draws=50).stability
    assert few.needed is None
    assert "fewer than 20 dialogues per pair" in few.reason
    (enough, *_) = ranking.rank(ranking.tally(made(60), BOTS), draws=50).stability
    assert enough.needed is not None


def test_equal_bots_are_seldom_called_different_however_many_there_are() -> None:
    names = list("ABCDE")
    alarms = [0, 0]
    for seed in range(40):
        table = ranking.tally(made(6, dict.fromkeys(names, 0.3), seed), names)
        comparisons = ranking.differences(table, draws=200, seed=seed)
        alarms[0] += any(one.p < 0.05 for one in comparisons)
        alarms[1] += any(one.p_holm is not None and one.p_holm < 0.05 for one in comparisons)
    assert alarms[0] >= 8  # without the correction every fifth run or more
    assert alarms[1] <= 4


def test_a_ranking_is_the_same_after_its_file_and_an_older_file_is_read() -> None:
    standings = ranking.rank(ranking.tally(made(30), BOTS), draws=50, expert=BOTS)
    row = json.loads(json.dumps(ranking_to_json(standings)))
    assert ranking_from_json(row) == standings
    for bot in row["bots"]:  # as 0.1.0 wrote it
        del bot["statements_per_turn"], bot["unranked"]
    for difference in row["differences"]:
        del difference["p_holm"]
    del row["dialogues_needed_reason"]
    assert ranking_from_json(row).rates == standings.rates


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"bots": 3}', '{"bots": [{"bot": "A"}], "matrix": {}}']
)
def test_a_damaged_ranking_file_is_one_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "ranking.json").write_text(text)
    with pytest.raises(RunError, match="is damaged: rank the bots again"):
        read_ranking(tmp_path)


def test_bots_are_ranked_lowest_rate_first_with_intervals_that_hold_the_rate() -> None:
    standings = ranking.rank(ranking.tally(made(80), BOTS), draws=300)
    assert [bot.bot for bot in standings.bots] == ["A", "B", "C"]
    for bot in standings.bots:
        assert bot.contradiction_rate is not None
        assert bot.low is not None
        assert bot.high is not None
        assert bot.low <= bot.contradiction_rate <= bot.high
        assert bot.low <= TRUE[bot.bot] <= bot.high
        assert bot.inquiries == 3 * 80 * 6


def test_stability_grows_with_dialogues_and_leaving_out_a_close_bot_helps() -> None:
    close = {"A": 0.1, "B": 0.30, "C": 0.35}
    table = ranking.tally(made(150, close, seed=1), BOTS)
    curves = ranking.stability(table, reference=BOTS, draws=300, sizes=[1, 10, 150])
    by_name = {curve.left_out: curve for curve in curves}
    assert by_name[None].shares[0] < by_name[None].shares[-1]
    assert by_name["C"].shares[1] > by_name[None].shares[1] + 0.1
    assert by_name["A"].shares[1] < by_name["C"].shares[1]


def test_the_number_needed_is_the_first_from_which_on_the_share_stays_high() -> None:
    table = ranking.tally(made(60), BOTS)
    curve = ranking.stability(table, draws=200, sizes=[1, 5, 20, 60], leave_one_out=False)[0]
    high = [size for size, share in zip(curve.sizes, curve.shares, strict=True) if share >= 0.95]
    assert curve.needed == min(high)


def test_different_bots_are_told_apart_and_equal_ones_are_not() -> None:
    same = {"A": 0.3, "B": 0.3, "C": 0.6}
    table = ranking.tally(made(60, same, seed=3), BOTS)
    differences = {frozenset((d.a, d.b)): d for d in ranking.differences(table, draws=400)}
    assert differences[frozenset("AB")].p > 0.05
    assert differences[frozenset("AC")].p < 0.01
    assert differences[frozenset("AC")].high < 0


def test_order_probabilities_are_complementary() -> None:
    table = ranking.tally(made(40), BOTS)
    better = ranking.better_probabilities(table, draws=200)
    assert better["A"]["C"] > 0.99
    assert better["A"]["B"] + better["B"]["A"] == pytest.approx(1, abs=0.05)
    assert list(ranking.order_probabilities(table, draws=200)[0].order) == BOTS


def test_the_same_seed_gives_the_same_summary() -> None:
    table = ranking.tally(made(20), BOTS)
    assert ranking.rank(table, draws=100, seed=4) == ranking.rank(table, draws=100, seed=4)


@pytest.mark.parametrize(
    ("expert", "kendall"),
    [(["A", "B", "C"], 1.0), (["C", "B", "A"], -1.0), (["B", "A", "C"], 1 / 3)],
)
def test_agreement_with_an_expert(expert: list[str], kendall: float) -> None:
    assert ranking.agreement(BOTS, [0.1, 0.2, 0.3], expert).kendall == pytest.approx(kendall)


@pytest.mark.parametrize("expert", [["A", "B", "C"], ["B", "A", "C"]])
def test_bots_that_are_level_agree_alike_with_either_order(expert: list[str]) -> None:
    figures = ranking.agreement(BOTS, [0.1, 0.1, 0.3], expert)
    assert figures.kendall == pytest.approx(0.816, abs=1e-3)
    level = ranking.agreement(BOTS, [0.1, 0.1, np.nan], expert)
    assert (level.kendall, level.spearman) == (None, None)


def test_draws_in_which_bots_are_level_count_for_no_order() -> None:
    counts = [Count(b, b, 4, 0) for b in BOTS for _ in range(3)]
    assert ranking.order_probabilities(ranking.tally(counts, BOTS), draws=20) == ()


def test_bots_without_a_rate_come_last_by_name() -> None:
    assert ranking.order_of(["z", "b", "a"], [np.nan, 0.4, np.nan]) == ["b", "a", "z"]


def test_an_expert_ranking_of_other_bots_is_refused() -> None:
    with pytest.raises(UsageError, match="same bots"):
        ranking.agreement(BOTS, [0.1, 0.2, 0.3], ["A", "B"])


@given(st.integers(0, 500))
def test_numbers_of_dialogues_to_try_grow_up_to_what_there_is(most: int) -> None:
    tried = ranking.grid(most)
    assert tried == sorted(set(tried))
    assert (tried[-1] if tried else 0) == most


def test_no_contradiction_in_few_inquiries_is_no_certain_zero() -> None:
    counts = [Count(a, b, 4, 0) for a in BOTS for b in BOTS]
    interval = ranking.rate_interval(ranking.tally(counts, BOTS), "A")
    assert (interval.value, interval.low) == (0.0, 0.0)
    assert interval.high == pytest.approx(0.2425, abs=1e-4)  # Wilson's for 0 of 12
