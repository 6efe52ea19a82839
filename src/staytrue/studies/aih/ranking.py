"""AIH's statistics: contradiction rates of pairs and bots, their ranking, and how sure it is.

C_ij is contradictions over inquiries when bot j is judged in talks with bot i; C_j is the mean
over i; lower is better. The means over j of C_ij say how strongly bot i induces contradictions.
Everything is resampled by dialogue, as inquiries of one dialogue are not independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from staytrue.core.errors import UsageError
from staytrue.stats.intervals import NOTHING, Interval, difference, from_variance
from staytrue.stats.multiple import holm
from staytrue.studies.aih.records import (
    BotDifference,
    Expert,
    Order,
    PairRate,
    RankedBot,
    Ranking,
    Stability,
)

Floats = NDArray[np.float64]
DRAWS = 1000
GOAL = 0.95
FEWEST_INQUIRIES = 20
"""Fewer say too little: the interval of 0 contradictions of 20 still reaches 0.16."""
FEWEST_DIALOGUES = 20
"""Per pair; resampling fewer would repeat the same few talks and promise what they cannot show."""


@dataclass(frozen=True, slots=True)
class Count:
    """What one dialogue gave."""

    first: str
    second: str
    inquiries: int
    contradictions: int
    turns: int = 0
    """Turns of the judged bot."""
    statements: int = 0
    """Sentences of the judged bot that state something."""


@dataclass(frozen=True)
class DialogueCounts:
    """Counts of every dialogue, in a table: first bot × second bot × dialogue."""

    bots: tuple[str, ...]
    inquiries: Floats
    contradictions: Floats
    dialogues: NDArray[np.int64]
    """How many dialogues each pair has; further places of the table are empty."""
    turns: Floats
    statements: Floats
    """Of the judged bot, over all dialogues of a pair."""

    def rates(self) -> Floats:
        """C_ij; NaN (inside this module only) where a pair has no inquiries."""
        return _rates(self.inquiries.sum(axis=2), self.contradictions.sum(axis=2))

    def without(self, bot: str) -> DialogueCounts:
        """The tally as if this bot had not taken part."""
        keep = [n for n, name in enumerate(self.bots) if name != bot]
        picked = np.ix_(keep, keep)
        return DialogueCounts(
            tuple(self.bots[n] for n in keep),
            self.inquiries[picked],
            self.contradictions[picked],
            self.dialogues[picked],
            self.turns[picked],
            self.statements[picked],
        )

    @property
    def ranked(self) -> list[str]:
        """The bots that were asked enough to be ranked, the most consistent first."""
        inquiries = dict(zip(self.bots, self.inquiries.sum(axis=(0, 2)), strict=True))
        ordered = order_of(self.bots, bot_rates(self))
        return [bot for bot in ordered if inquiries[bot] >= FEWEST_INQUIRIES]


def tally(counts: Iterable[Count], bots: Sequence[str]) -> DialogueCounts:
    """Sort the counts of all dialogues into a table."""
    index = {bot: n for n, bot in enumerate(bots)}
    cells: dict[tuple[int, int], list[Count]] = {}
    for count in counts:
        if count.first in index and count.second in index:
            cells.setdefault((index[count.first], index[count.second]), []).append(count)
    size = len(bots)
    most = max((len(cell) for cell in cells.values()), default=0)
    inquiries, contradictions = np.zeros((size, size, most)), np.zeros((size, size, most))
    dialogues = np.zeros((size, size), dtype=np.int64)
    turns, statements = np.zeros((size, size)), np.zeros((size, size))
    for (i, j), cell in cells.items():
        inquiries[i, j, : len(cell)] = [count.inquiries for count in cell]
        contradictions[i, j, : len(cell)] = [count.contradictions for count in cell]
        dialogues[i, j] = len(cell)
        turns[i, j] = sum(count.turns for count in cell)
        statements[i, j] = sum(count.statements for count in cell)
    return DialogueCounts(tuple(bots), inquiries, contradictions, dialogues, turns, statements)


def _rates(inquiries: Floats, contradictions: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(inquiries > 0, contradictions / inquiries, np.nan)


def _mean(values: Floats, axis: int) -> Floats:
    """The mean of what is there; NaN where nothing is."""
    there = ~np.isnan(values)
    count = there.sum(axis=axis)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(count > 0, np.where(there, values, 0).sum(axis=axis) / count, np.nan)


def bot_rates(table: DialogueCounts) -> Floats:
    """C_j of each bot."""
    return _mean(table.rates(), 0)


def inducing(table: DialogueCounts) -> Floats:
    """The mean over j of C_ij of each bot i."""
    return _mean(table.rates(), 1)


def resampled(table: DialogueCounts, size: int | None, draws: int, seed: int) -> Floats:
    """C_j in each draw (draws × bots); a draw takes `size` dialogues per pair, with replacement."""
    generator = np.random.default_rng(seed)
    bots = len(table.bots)
    inquiries, contradictions = np.zeros((draws, bots, bots)), np.zeros((draws, bots, bots))
    for i in range(bots):
        for j in range(bots):
            there = int(table.dialogues[i, j])
            if there == 0:
                continue
            picked = generator.integers(0, there, (draws, size or there))
            inquiries[:, i, j] = table.inquiries[i, j][picked].sum(axis=1)
            contradictions[:, i, j] = table.contradictions[i, j][picked].sum(axis=1)
    return _mean(_rates(inquiries, contradictions), 1)


def order_of(bots: Sequence[str], rates: Sequence[float] | Floats) -> list[str]:
    """The bots, the most consistent first; bots without a rate come last, by name."""
    known = zip(bots, map(float, rates), strict=True)
    # NaN has no order of its own, so it must not take part in the sorting.
    placed = sorted((bool(np.isnan(rate)), np.nan_to_num(rate), bot) for bot, rate in known)
    return [bot for _, _, bot in placed]


def stability(
    table: DialogueCounts,
    *,
    reference: Sequence[str] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    sizes: Sequence[int] | None = None,
    leave_one_out: bool = True,
) -> list[Stability]:
    """Share of draws that give the reference ranking, against the number of dialogues per pair.

    The reference is an expert ranking, or the ranking by all dialogues, of the bots that were
    asked enough. With three bots or more
    the same is shown with each left out: the one whose absence helps is one of a close pair.
    """
    ranked = table.ranked
    whole = [bot for bot in reference or ranked if bot in ranked]
    if len(whole) < 2:
        return []
    curves = [_curve(table, whole, None, draws, seed, sizes)]
    if leave_one_out and len(whole) > 2:
        for bot in (name for name in table.bots if name in whole):
            rest = [name for name in whole if name != bot]
            curves.append(_curve(table.without(bot), rest, bot, draws, seed, sizes))
    return curves


def _curve(
    table: DialogueCounts,
    reference: Sequence[str],
    left_out: str | None,
    draws: int,
    seed: int,
    sizes: Sequence[int] | None,
) -> Stability:
    most = int(table.dialogues.max()) if table.dialogues.size else 0
    tried = tuple(sizes or grid(most))
    columns = [table.bots.index(bot) for bot in reference]
    shares = []
    for size in tried:
        rates = resampled(table, size, draws, seed + size)[:, columns]
        # NaN compares false: a bot without an inquiry has no place in the ranking.
        shares.append(float(np.all(np.diff(rates, axis=1) > 0, axis=1).mean()))
    if most < FEWEST_DIALOGUES:
        reason = f"not known from fewer than {FEWEST_DIALOGUES} dialogues per pair"
        return Stability(left_out, tried, tuple(shares), None, reason)
    needed = _needed(tried, shares)
    reason = "" if needed is not None else f"more than {most}"
    return Stability(left_out, tried, tuple(shares), needed, reason)


def grid(most: int) -> list[int]:
    """Numbers of dialogues to try: every one up to 10, then wider steps, up to `most`."""
    tried = [*range(1, 11), *range(15, 101, 5), *range(110, 201, 10), *range(250, 2001, 50)]
    return sorted({size for size in tried if size < most} | ({most} if most else set()))


def _needed(sizes: Sequence[int], shares: Sequence[float]) -> int | None:
    needed = None
    for size, share in zip(reversed(sizes), reversed(list(shares)), strict=True):
        if share < GOAL:
            break
        needed = size
    return needed


def differences(table: DialogueCounts, *, draws: int = DRAWS, seed: int = 0) -> list[BotDifference]:
    """Every pair of ranked bots, tested, with p corrected for the number of pairs."""
    ranked = table.ranked
    gaps = []
    for n, a in enumerate(ranked):
        for b in ranked[n + 1 :]:
            x, y = table.bots.index(a), table.bots.index(b)
            gap = difference(rate_interval(table, b), rate_interval(table, a))
            p = _permutation_p(table, x, y, draws, seed)
            gaps.append(BotDifference(a, b, gap.value or 0.0, *gap.ends, p))
    corrected = holm([one.p for one in gaps])
    return [replace(one, p_holm=p) for one, p in zip(gaps, corrected, strict=True)]


def _permutation_p(table: DialogueCounts, a: int, b: int, draws: int, seed: int) -> float:
    """Two-sided p when dialogues are dealt to the two bots at random, for each first bot."""
    generator = np.random.default_rng(seed)
    observed = abs(_difference(table, a, b))
    rates_a, rates_b = [], []
    for i in range(len(table.bots)):
        n, m = int(table.dialogues[i, a]), int(table.dialogues[i, b])
        if not n or not m:
            continue
        pool = np.stack(
            [
                np.concatenate([values[i, a, :n], values[i, b, :m]])
                for values in (table.inquiries, table.contradictions)
            ]
        )
        dealt = pool[:, generator.permuted(np.tile(np.arange(n + m), (draws, 1)), axis=1)]
        rates_a.append(_rates(dealt[0, :, :n].sum(axis=1), dealt[1, :, :n].sum(axis=1)))
        rates_b.append(_rates(dealt[0, :, n:].sum(axis=1), dealt[1, :, n:].sum(axis=1)))
    if not rates_a:
        return 1.0
    drawn = np.abs(_mean(np.array(rates_a), 0) - _mean(np.array(rates_b), 0))
    return float((np.sum(drawn >= observed - 1e-12) + 1) / (draws + 1))


def _difference(table: DialogueCounts, a: int, b: int) -> float:
    rates = bot_rates(table)
    return float(rates[a] - rates[b])


def better_probabilities(
    table: DialogueCounts, *, draws: int = DRAWS, seed: int = 0
) -> dict[str, dict[str, float]]:
    """Bot → other bot → probability that the first is the more consistent."""
    sampled = resampled(table, None, draws, seed)
    bots = table.bots
    return {
        a: {b: float((sampled[:, x] < sampled[:, y]).mean()) for y, b in enumerate(bots) if b != a}
        for x, a in enumerate(bots)
    }


def order_probabilities(
    table: DialogueCounts, *, draws: int = DRAWS, seed: int = 0
) -> tuple[Order, ...]:
    """The most probable orders of all bots."""
    bots = table.bots
    orders: dict[tuple[str, ...], int] = {}
    for rates in resampled(table, None, draws, seed):
        if len(np.unique(rates)) < len(bots):
            continue  # bots that are level, or without a rate, have no order
        order = tuple(order_of(bots, rates))
        orders[order] = orders.get(order, 0) + 1
    ranked = sorted(orders.items(), key=lambda item: (-item[1], item[0]))[:10]
    return tuple(Order(order, count / draws) for order, count in ranked)


def agreement(
    bots: Sequence[str], rates: Sequence[float] | Floats, expert: Sequence[str]
) -> Expert:
    """Kendall's τ and Spearman's ρ of the bots' rates and an expert's ranking of them.

    Bots with one rate are level, bots without a rate do not count. None where nothing varies.
    """
    if sorted(bots) != sorted(expert):
        raise UsageError("The expert ranking must name the same bots, each once, best first.")
    known = {bot: rate for bot, rate in zip(bots, rates, strict=True) if not np.isnan(rate)}
    ours, theirs = list(known.values()), [list(expert).index(bot) for bot in known]
    if len(set(ours)) < 2:
        return Expert(tuple(expert), None, None)
    from scipy import stats

    return Expert(
        tuple(expert),
        float(stats.kendalltau(ours, theirs).statistic),
        float(stats.spearmanr(ours, theirs).statistic),
    )


def rank(
    table: DialogueCounts,
    *,
    expert: Sequence[str] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Ranking:
    """Everything about the ranking; a rate that does not exist is None."""
    rates, cells = bot_rates(table), table.rates()
    ranked = table.ranked
    others = [bot for bot in order_of(table.bots, rates) if bot not in ranked]
    known = np.where([bot in ranked for bot in table.bots], rates, np.nan)
    return Ranking(
        bots=tuple(_bot(table, bot, known) for bot in (*ranked, *others)),
        matrix={
            first: {second: _plain(cells[i, j]) for j, second in enumerate(table.bots)}
            for i, first in enumerate(table.bots)
        },
        pairs=_pairs(table),
        better=better_probabilities(table, draws=draws, seed=seed),
        orders=order_probabilities(table, draws=draws, seed=seed),
        differences=tuple(differences(table, draws=draws, seed=seed)),
        stability=tuple(stability(table, reference=expert, draws=draws, seed=seed)),
        expert=agreement(table.bots, known, expert) if expert else None,
        draws=draws,
        seed=seed,
    )


def rate_interval(table: DialogueCounts, bot: str) -> Interval:
    """The bot's rate; resampling dialogues would make a rate of 0 certain."""
    n = table.bots.index(bot)
    inquiries, contradictions = (
        table.inquiries[:, n].sum(axis=1),
        table.contradictions[:, n].sum(axis=1),
    )
    partners = np.flatnonzero(inquiries > 0)
    if len(partners) == 0:
        return NOTHING
    rates = contradictions[partners] / inquiries[partners]
    variance = 0.0
    for i, rate in zip(partners, rates, strict=True):
        count = int(table.dialogues[i, n])
        off = table.contradictions[i, n, :count] - rate * table.inquiries[i, n, :count]
        variance += float(np.sum(off**2)) / inquiries[i] ** 2 * count / max(count - 1, 1)
    dialogues = int(table.dialogues[partners, n].sum())
    return from_variance(
        float(rates.mean()), variance / len(partners) ** 2, n=int(inquiries.sum()),
        # Each partner's rate takes one degree of freedom.
        clusters=max(dialogues - len(partners) + 1, 2),
    )  # fmt: skip


def _bot(table: DialogueCounts, bot: str, known: Floats) -> RankedBot:
    """`known` are the rates of the bots that are ranked."""
    n = table.bots.index(bot)
    rate = rate_interval(table, bot)
    inquiries = int(table.inquiries[:, n].sum())
    contradictions = int(table.contradictions[:, n].sum())
    dialogues, turns = int(table.dialogues[:, n].sum()), float(table.turns[:, n].sum())
    few = f"too few to rank: fewer than {FEWEST_INQUIRIES} inquiries"
    return RankedBot(
        bot=bot,
        rank=None if np.isnan(known[n]) else int((known < known[n]).sum()) + 1,
        contradiction_rate=rate.value,
        low=rate.low,
        high=rate.high,
        inquiries=inquiries,
        contradictions=contradictions,
        induces=_plain(inducing(table)[n]),
        dialogues=dialogues,
        inquiries_per_dialogue=inquiries / dialogues if dialogues else None,
        contradictions_per_dialogue=contradictions / dialogues if dialogues else None,
        statements_per_turn=float(table.statements[:, n].sum()) / turns if turns else None,
        unranked=few if np.isnan(known[n]) else "",
    )


def _pairs(table: DialogueCounts) -> tuple[PairRate, ...]:
    cells = table.rates()
    return tuple(
        PairRate(
            first,
            second,
            int(table.dialogues[i, j]),
            int(table.inquiries[i, j].sum()),
            int(table.contradictions[i, j].sum()),
            _plain(cells[i, j]),
        )
        for i, first in enumerate(table.bots)
        for j, second in enumerate(table.bots)
    )


def _plain(value: float | np.floating[Any]) -> float | None:
    return None if np.isnan(value) else float(value)
