"""What was read by hand: rows of JSON lines, some of them read a second time in another order."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from staytrue.stats.annotators import cohen_kappa


@dataclass(frozen=True)
class SecondReading:
    """How far a second reading agrees with the first, on the rows that have one."""

    rows: int
    same: int
    kappa: str
    """Cohen's, as pages show it."""


def read(file: Path) -> list[dict[str, Any]]:
    """The rows of a file, each with what was said of it."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def second_reading(rows: Sequence[Mapping[str, Any]], first: str) -> SecondReading:
    """The field `first` against the field "again"."""
    twice = [(row[first], row["again"]) for row in rows if row.get("again") is not None]
    kappa = shown_kappa([one for one, _ in twice], [again for _, again in twice])
    return SecondReading(len(twice), sum(one == again for one, again in twice), kappa)


def shown_kappa(first: Sequence[Any], second: Sequence[Any]) -> str:
    """Cohen's κ of two readings, as pages show it."""
    kappa = cohen_kappa(first, second).value
    return "–" if kappa is None else f"{kappa:.2f}"
