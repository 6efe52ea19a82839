"""What people say of inquiries or natural talk: majority, agreement, human rates beside ours.

After AIH: three annotators, decision by vote; agreement is the Pearson correlation of each
annotator with the decision, per bot, and Fleiss' or Krippendorff's coefficient.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from staytrue.core.records import JsonDict
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


@dataclass(frozen=True, slots=True)
class VoteAgreement:
    """How far the annotators agree about one question."""

    name: str
    """Which coefficient it is."""
    value: float | None
    reason: str
    """Why there is no value."""
    items: int


def agreement(votes: Sequence[Vote], field: str) -> VoteAgreement:
    """Fleiss' κ where every item has the same number of answers, else Krippendorff's α."""
    rows = [[v for v in row if v is not None] for row in _by_item(votes, field).values()]
    rows = [row for row in rows if row]
    if rows and len({len(row) for row in rows}) == 1:
        figure, name = fleiss_kappa(rows), "Fleiss' kappa"
    else:
        figure, name = krippendorff_alpha(rows), "Krippendorff's alpha"
    return VoteAgreement(name, figure.value, figure.reason, figure.items)


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """What people decided about one ordered pair of bots; `second` is the judged bot."""

    first: str
    second: str
    items: int
    human_rate: float
    """C_ij by people: the share of its items decided yes."""
    automatic_rate: float | None = None
    """C_ij by the metric, if it is known."""


def human_pairs(
    votes: Sequence[Vote],
    field: str,
    automatic: Mapping[str, Mapping[str, float | None]] | None = None,
) -> list[JudgedPair]:
    """Every ordered pair with a decided item; `automatic` gives the metric's rates."""
    known = automatic or {}
    decided = decisions(votes, field)
    cells: dict[tuple[str, str], dict[str, bool]] = {}
    for vote in votes:
        decision = decided[vote.item]
        if decision is not None:
            cells.setdefault((vote.partner, vote.bot), {})[vote.item] = decision
    return [
        JudgedPair(
            first, second, len(items), sum(items.values()) / len(items),
            known.get(first, {}).get(second),
        )
        for (first, second), items in sorted(cells.items())
    ]  # fmt: skip


def human_rates(pairs: Sequence[JudgedPair]) -> dict[str, float]:
    """Bot → C_j by people: the mean over its partners of C_ij."""
    rates: dict[str, list[float]] = {}
    for pair in pairs:
        rates.setdefault(pair.second, []).append(pair.human_rate)
    return {bot: float(np.mean(some)) for bot, some in rates.items()}


@dataclass(frozen=True, slots=True)
class PerDialogue:
    """What one dialogue yields, and how long one annotator takes for it."""

    items: float | None = None
    contradictions: float | None = None
    seconds: float | None = None


def per_dialogue(votes: Sequence[Vote], field: str, with_items: float = 1.0) -> PerDialogue:
    """Items, contradictions and seconds per dialogue; seconds are one annotator's, on average.

    `with_items` is the share of the dialogues held that have items to judge at all: the others
    have no votes, yet are dialogues too.
    """
    decided = decisions(votes, field)
    talks = {vote.dialogue for vote in votes}
    if not talks:
        return PerDialogue()
    seconds: dict[tuple[str, str], float] = {}
    for vote in votes:
        if vote.seconds is not None:
            key = (vote.dialogue, vote.annotator)
            seconds[key] = seconds.get(key, 0.0) + vote.seconds
    return PerDialogue(
        with_items * len(decided) / len(talks),
        with_items * sum(bool(d) for d in decided.values()) / len(talks),
        with_items * float(np.mean(list(seconds.values()))) if seconds else None,
    )


@dataclass(frozen=True, slots=True)
class JudgedBot:
    """What people say of one bot, beside the metric's rate."""

    bot: str
    human_rate: float | None
    automatic_rate: float | None
    correlation: Mapping[str, float | None]
    """Annotator → Pearson's r with the decision."""
    mean_correlation: float | None
    shares: Mapping[str, float | None]
    """Question → share of the items decided yes."""
    per_dialogue: PerDialogue

    def to_json(self) -> JsonDict:
        """Plain values, a share for each question."""
        row = asdict(self)
        shares = {f"{name}_share": share for name, share in row.pop("shares").items()}
        return {**row, **shares}


@dataclass(frozen=True, slots=True)
class NaturalTalk:
    """What dialogues without inquiries yield, to stand beside those with them."""

    per_dialogue: PerDialogue
    bots: Mapping[str, PerDialogue]


@dataclass(frozen=True, slots=True)
class HumanFigures:
    """Everything that people say of the judged items."""

    items: int
    annotators: tuple[str, ...]
    shares: Mapping[str, float | None]
    """Question → share of the items decided yes."""
    agreement: Mapping[str, VoteAgreement]
    correlation: Mapping[str, float | None]
    """Annotator → Pearson's r with the decision."""
    mean_correlation: float | None
    bots: tuple[JudgedBot, ...]
    pairs: tuple[JudgedPair, ...]
    per_dialogue: PerDialogue
    natural: NaturalTalk | None = None

    def to_json(self) -> JsonDict:
        """Plain values, as `human.json` holds them."""
        row = asdict(self) | {"bots": [bot.to_json() for bot in self.bots]}
        if self.natural is None:
            del row["natural"]
        return row


def summary(
    votes: Sequence[Vote],
    fields: Sequence[str],
    automatic: Mapping[str, float | None],
    with_items: Mapping[str, float] | None = None,
    matrix: Mapping[str, Mapping[str, float | None]] | None = None,
) -> HumanFigures:
    """Everything about the judged items; the last field counts for rates.

    `automatic` gives the metric's rate of each bot, `matrix` that of first and judged bot.
    `with_items` gives, for each bot and under "" for all, the share of the dialogues held that
    have items.
    """
    share_with = with_items or {}
    field = fields[-1]
    pairs = human_pairs(votes, field, matrix)
    human = human_rates(pairs)
    bots = []
    for bot in sorted({vote.bot for vote in votes}):
        own = [vote for vote in votes if vote.bot == bot]
        correlation = annotator_correlation(own, field)
        bots.append(
            JudgedBot(
                bot, human.get(bot), automatic.get(bot), correlation,
                mean_correlation(correlation), {name: share(own, name) for name in fields},
                per_dialogue(own, field, share_with.get(bot, 1.0)),
            )
        )  # fmt: skip
    overall = annotator_correlation(votes, field)
    return HumanFigures(
        items=len({vote.item for vote in votes}),
        annotators=tuple(sorted({vote.annotator for vote in votes})),
        shares={name: share(votes, name) for name in fields},
        agreement={name: agreement(votes, name) for name in fields},
        correlation=overall,
        mean_correlation=mean_correlation(overall),
        bots=tuple(bots),
        pairs=tuple(pairs),
        per_dialogue=per_dialogue(votes, field, share_with.get("", 1.0)),
    )
