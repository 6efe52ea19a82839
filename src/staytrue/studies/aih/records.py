"""What an AIH ranking is: bots in order, pairs, differences, stability; and the file it goes to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from staytrue.core.errors import RunError
from staytrue.core.records import JsonDict

RANKING = "ranking.json"


@dataclass(frozen=True, slots=True)
class RankedBot:
    """One bot: how often it contradicts itself, and how much it gives to ask about."""

    bot: str
    rank: int | None
    """1 is the most consistent; bots with one rate share a rank; None: see `unranked`."""
    contradiction_rate: float | None
    """Contradictions per inquiry, the mean over its partners; None without inquiries."""
    low: float | None
    high: float | None
    """The rate's 95 % interval."""
    inquiries: int
    contradictions: int
    induces: float | None
    """How often its partners contradict themselves when they talk with it."""
    dialogues: int
    inquiries_per_dialogue: float | None
    contradictions_per_dialogue: float | None
    statements_per_turn: float | None = None
    """How much it says: a bot that states nothing cannot contradict itself."""
    unranked: str = ""
    """Why it has no rank."""


@dataclass(frozen=True, slots=True)
class PairRate:
    """What the dialogues of one ordered pair gave; `second` is the judged bot."""

    first: str
    second: str
    dialogues: int
    inquiries: int
    contradictions: int
    rate: float | None


@dataclass(frozen=True, slots=True)
class BotDifference:
    """Whether two bots differ: C_a − C_b, its 95 % interval, and a permutation test's p."""

    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float
    p_holm: float | None = None
    """p corrected for all pairs that were tested (Holm)."""


@dataclass(frozen=True, slots=True)
class Stability:
    """How often S dialogues per pair give the reference ranking."""

    left_out: str | None
    sizes: tuple[int, ...]
    shares: tuple[float, ...]
    needed: int | None
    """Fewest dialogues from which on the share stays at 95 % or above; None: see `reason`."""
    reason: str = ""

    @property
    def name(self) -> str:
        """Which bots it is about."""
        return "all bots" if self.left_out is None else f"without {self.left_out}"


@dataclass(frozen=True, slots=True)
class Order:
    """One order of all bots, best first, and how probable it is."""

    order: tuple[str, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class Expert:
    """An expert's ranking, best first, and how ours agrees with it; None where nothing varies."""

    ranking: tuple[str, ...]
    kendall: float | None
    spearman: float | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Bots by how seldom they contradict themselves, and how sure that is."""

    bots: tuple[RankedBot, ...]
    """The most consistent first; bots without a rank last."""
    matrix: Mapping[str, Mapping[str, float | None]]
    """First bot → judged bot → rate."""
    pairs: tuple[PairRate, ...] = ()
    better: Mapping[str, Mapping[str, float]] | None = None
    """Bot → other bot → probability that the first is the more consistent."""
    orders: tuple[Order, ...] = ()
    differences: tuple[BotDifference, ...] = ()
    stability: tuple[Stability, ...] = ()
    expert: Expert | None = None
    draws: int = 0
    seed: int = 0
    signature: str = ""
    failed_dialogues: int = 0

    @property
    def rates(self) -> dict[str, float | None]:
        """Bot → contradiction rate."""
        return {bot.bot: bot.contradiction_rate for bot in self.bots}

    @property
    def how_rated(self) -> str:
        """What a rate is, for tables that show counts beside it."""
        return (
            "Each partner counts the same in a bot's rate, so it may differ from contradictions "
            "divided by inquiries."
        )

    def __str__(self) -> str:
        lines = ["rank  contradictions per inquiry [95 %]  inquiries  per dialogue  bot"]
        for bot in self.bots:
            inquiries = _figure(bot.inquiries_per_dialogue, 2)
            rank = "–" if bot.rank is None else str(bot.rank)
            name = f"{bot.bot} ({bot.unranked})" if bot.unranked else bot.bot
            lines.append(
                f"{rank:>4}  {rate_of(bot):>35}  {bot.inquiries:>9}  {inquiries:>12}  {name}"
            )
        if self.signature:
            lines.append(f"signature: {self.signature}")
        return "\n".join(lines)


def rate_of(bot: RankedBot) -> str:
    """The rate with its interval, or that there is none."""
    if bot.contradiction_rate is None:
        return "no inquiries"
    if bot.low is None or bot.high is None:
        return f"{bot.contradiction_rate:.3f}"
    return f"{bot.contradiction_rate:.3f} [{bot.low:.3f}, {bot.high:.3f}]"


def _figure(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def ranking_to_json(ranking: Ranking) -> JsonDict:
    """The ranking as the object that `RUN/ranking.json` holds."""
    row: JsonDict = {
        "bots": [asdict(bot) for bot in ranking.bots],
        "matrix": ranking.matrix,
        "signature": ranking.signature,
        "failed_dialogues": ranking.failed_dialogues,
        "pairs": [asdict(pair) for pair in ranking.pairs],
        "order": {
            "better": ranking.better or {},
            "orders": [asdict(order) for order in ranking.orders],
        },
        "differences": [asdict(difference) for difference in ranking.differences],
        "stability": {
            curve.name: [
                {"dialogues": size, "share": share}
                for size, share in zip(curve.sizes, curve.shares, strict=True)
            ]
            for curve in ranking.stability
        },
        "dialogues_needed": {curve.name: curve.needed for curve in ranking.stability},
        "dialogues_needed_reason": {curve.name: curve.reason for curve in ranking.stability},
        "draws": ranking.draws,
        "seed": ranking.seed,
    }
    if ranking.expert:
        row["expert"] = asdict(ranking.expert)
    return row


def ranking_from_json(row: JsonDict) -> Ranking:
    """The inverse; what an older version did not write is left at its default."""
    order = row.get("order", {})
    expert = row.get("expert")
    return Ranking(
        tuple(_record(RankedBot, bot) for bot in row["bots"]),
        row["matrix"],
        tuple(_record(PairRate, pair) for pair in row.get("pairs", ())),
        order.get("better"),
        tuple(Order(tuple(o["order"]), o["probability"]) for o in order.get("orders", ())),
        tuple(_record(BotDifference, one) for one in row.get("differences", ())),
        tuple(_stability(row)),
        Expert(tuple(expert["ranking"]), expert["kendall"], expert["spearman"]) if expert else None,
        row.get("draws", 0),
        row.get("seed", 0),
        row.get("signature", ""),
        row.get("failed_dialogues", 0),
    )


def _stability(row: JsonDict) -> list[Stability]:
    needed, reasons = row.get("dialogues_needed", {}), row.get("dialogues_needed_reason", {})
    return [
        Stability(
            None if name == "all bots" else name.removeprefix("without "),
            tuple(int(point["dialogues"]) for point in points),
            tuple(float(point["share"]) for point in points),
            needed.get(name),
            reasons.get(name, ""),
        )
        for name, points in row.get("stability", {}).items()
    ]


Record = TypeVar("Record")


def _record(kind: type[Record], row: Mapping[str, Any]) -> Record:
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in row.items() if name in known})


def write_ranking(folder: Path, ranking: Ranking) -> None:
    """Write RUN/ranking.json, whole or not at all."""
    text = json.dumps(ranking_to_json(ranking), indent=2, ensure_ascii=False, allow_nan=False)
    aside = folder / f"{RANKING}.writing"
    aside.write_text(text + "\n", encoding="utf-8")
    aside.replace(folder / RANKING)


def read_ranking(folder: Path) -> Ranking | None:
    """The ranking of a run folder; None for a run that ranks nothing."""
    path = folder / RANKING
    if not path.is_file():
        return None
    try:
        return ranking_from_json(json.loads(path.read_text("utf-8")))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise RunError(f"{path} is damaged: rank the bots again or remove it.") from None
