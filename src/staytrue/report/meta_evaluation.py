"""The lines of Q²'s meta-evaluation plots: precision and recall, and scores with their band."""

from __future__ import annotations

from collections.abc import Sequence

from staytrue.report.lines import ChartLine
from staytrue.stats.curve import CurvePoint
from staytrue.studies.q2.systems import ShareScore


def curve_lines(points: Sequence[CurvePoint]) -> list[ChartLine]:
    """Precision and recall of both classes; those of the inconsistent one are dashed."""
    return [
        ChartLine(
            f"{kind} {side}",
            [(p.threshold, getattr(getattr(p, side), figure)) for p in points],
            dashed=side == "inconsistent",
        )
        for side in ("consistent", "inconsistent")
        for kind, figure in (("P", "precision"), ("R", "recall"))
    ]


def band_line(name: str, points: Sequence[ShareScore]) -> ChartLine:
    """Mean scores, and behind them where 95 % of the draws lie."""
    return ChartLine(
        name, [(s.share, s.mean) for s in points], [(s.share, s.low, s.high) for s in points]
    )
