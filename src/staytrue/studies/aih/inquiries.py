"""What people say of inquiries or natural talk: majority, agreement, human rates beside ours.

After AIH: three annotators, decision by vote; agreement is the Pearson correlation of each
annotator with the decision, per bot, and Fleiss' or Krippendorff's coefficient.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from staytrue.stats.annotators import fleiss_kappa, krippendorff_alpha, majority
from staytrue.stats.correlation import pearson


@dataclass(frozen=True, slots=True)
class Vote:
    """One annotator's answers about one item, and where the item comes from."""

    item: str
    annotator: str
    bot: str
    partner: str
    dialogue: str
    answers: Mapping[str, bool | None]
    seconds: float | None = None


def decisions(votes: Sequence[Vote], field: str) -> dict[str, bool | None]:
    """Item → what most annotators say; None for a tie."""
    return {item: majority(row) for item, row in _by_item(votes, field).items()}


def _by_item(votes: Sequence[Vote], field: str) -> dict[str, list[bool | None]]:
    rows: dict[str, list[bool | None]] = {}
    for vote in votes:
        rows.setdefault(vote.item, []).append(vote.answers.get(field))
    return rows


def share(votes: Sequence[Vote], field: str) -> float | None:
    """Share of the decided items that are a yes."""
    decided = [d for d in decisions(votes, field).values() if d is not None]
    return sum(decided) / len(decided) if decided else None


def annotator_correlation(votes: Sequence[Vote], field: str) -> dict[str, float | None]:
    """Annotator → Pearson's r with the decision; None where either never varies."""
    decided = decisions(votes, field)
    rows: dict[str, list[tuple[bool, bool]]] = {}
    for vote in votes:
        mine, ours = vote.answers.get(field), decided.get(vote.item)
        if mine is not None and ours is not None:
            rows.setdefault(vote.annotator, []).append((mine, ours))
    return {name: pearson(*np.array(pairs, dtype=float).T) for name, pairs in sorted(rows.items())}


def mean_correlation(correlations: Mapping[str, float | None]) -> float | None:
    """The mean over annotators who have one: the paper's figure of agreement."""
    known = [r for r in correlations.values() if r is not None]
    return float(np.mean(known)) if known else None


def coefficient(votes: Sequence[Vote], field: str) -> dict[str, Any]:
    """Fleiss' κ where every item has the same number of answers, else Krippendorff's α."""
    rows = [[v for v in row if v is not None] for row in _by_item(votes, field).values()]
    rows = [row for row in rows if row]
    if rows and len({len(row) for row in rows}) == 1:
        agreement, name = fleiss_kappa(rows), "Fleiss' kappa"
    else:
        agreement, name = krippendorff_alpha(rows), "Krippendorff's alpha"
    return {
        "name": name,
        "value": agreement.value,
        "reason": agreement.reason,
        "items": agreement.items,
    }


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """What people decided about one ordered pair of bots; `second` is the judged bot."""

    first: str
    second: str
    items: int
    rate: float
    """C_ij by people: the share of its items decided yes."""


def human_pairs(votes: Sequence[Vote], field: str) -> list[JudgedPair]:
    """Every ordered pair with a decided item."""
    decided = decisions(votes, field)
    cells: dict[tuple[str, str], dict[str, bool]] = {}
    for vote in votes:
        decision = decided[vote.item]
        if decision is not None:
            cells.setdefault((vote.partner, vote.bot), {})[vote.item] = decision
    return [
        JudgedPair(first, second, len(items), sum(items.values()) / len(items))
        for (first, second), items in sorted(cells.items())
    ]


def human_rates(pairs: Sequence[JudgedPair]) -> dict[str, float]:
    """Bot → C_j by people: the mean over its partners of C_ij."""
    rates: dict[str, list[float]] = {}
    for pair in pairs:
        rates.setdefault(pair.second, []).append(pair.rate)
    return {bot: float(np.mean(some)) for bot, some in rates.items()}


def per_dialogue(
    votes: Sequence[Vote], field: str, with_items: float = 1.0
) -> dict[str, float | None]:
    """Items, contradictions and seconds per dialogue; seconds are one annotator's, on average.

    `with_items` is the share of the dialogues held that have items to judge at all: the others
    have no votes, yet are dialogues too.
    """
    decided = decisions(votes, field)
    talks = {vote.dialogue for vote in votes}
    if not talks:
        return {"items": None, "contradictions": None, "seconds": None}
    seconds: dict[tuple[str, str], float] = {}
    for vote in votes:
        if vote.seconds is not None:
            key = (vote.dialogue, vote.annotator)
            seconds[key] = seconds.get(key, 0.0) + vote.seconds
    return {
        "items": with_items * len(decided) / len(talks),
        "contradictions": with_items * sum(bool(d) for d in decided.values()) / len(talks),
        "seconds": with_items * float(np.mean(list(seconds.values()))) if seconds else None,
    }


def summary(
    votes: Sequence[Vote],
    fields: Sequence[str],
    automatic: Mapping[str, float | None],
    with_items: Mapping[str, float] | None = None,
    matrix: Mapping[str, Mapping[str, float | None]] | None = None,
) -> dict[str, Any]:
    """Everything about the judged items as plain JSON values; the last field counts for rates.

    `automatic` gives the metric's rate of each bot, `matrix` that of first and judged bot.
    `with_items` gives, for each bot and under "" for all, the share of the dialogues held that
    have items.
    """
    share_with = with_items or {}
    field = fields[-1]
    bots = sorted({vote.bot for vote in votes})
    pairs = human_pairs(votes, field)
    human = human_rates(pairs)
    of_bot = {bot: [vote for vote in votes if vote.bot == bot] for bot in bots}
    by_bot = {bot: annotator_correlation(of_bot[bot], field) for bot in bots}
    overall = annotator_correlation(votes, field)
    return {
        "items": len({vote.item for vote in votes}),
        "annotators": sorted({vote.annotator for vote in votes}),
        "shares": {name: share(votes, name) for name in fields},
        "agreement": {name: coefficient(votes, name) for name in fields},
        "correlation": overall,
        "mean_correlation": mean_correlation(overall),
        "bots": [
            {
                "bot": bot,
                "human_rate": human.get(bot),
                "automatic_rate": automatic.get(bot),
                "correlation": by_bot[bot],
                "mean_correlation": mean_correlation(by_bot[bot]),
                **{f"{name}_share": share(of_bot[bot], name) for name in fields},
                "per_dialogue": per_dialogue(of_bot[bot], field, share_with.get(bot, 1.0)),
            }
            for bot in bots
        ],
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "items": pair.items,
                "human_rate": pair.rate,
                "automatic_rate": (matrix or {}).get(pair.first, {}).get(pair.second),
            }
            for pair in pairs
        ],
        "per_dialogue": per_dialogue(votes, field, share_with.get("", 1.0)),
    }
