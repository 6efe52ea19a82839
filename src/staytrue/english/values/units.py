"""Units of measure by their names, from the table in the lexicon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple, cast

from staytrue.english.values.value import Kind

LONGEST_NAME = 3


class Unit(NamedTuple):
    """What one name of a unit stands for."""

    kind: Kind
    unit: str
    system: Literal["metric", "imperial", "other"]
    factor: float
    offset: float = 0.0
    after_digits: bool = False
    """Whether the name is so short that it counts after digits only."""


@lru_cache(maxsize=1)
def _table() -> Mapping[tuple[str, ...], Unit]:
    table: dict[tuple[str, ...], Unit] = {}
    listed = files("staytrue") / "english" / "lexicon" / "units.txt"
    for line in listed.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        kind, canonical, system, factor, names = line.split("|")
        for entry in names.split(", "):
            name = entry.removeprefix("=")
            fahrenheit = canonical == "°C" and system == "imperial"
            unit = Unit(
                cast(Kind, kind), canonical, cast(Literal["metric", "imperial"], system),
                float(factor), -32 * float(factor) if fahrenheit else 0.0, entry != name,
            )  # fmt: skip
            table[tuple(name.split())] = unit
            if name[-1].isalpha() and len(name) > 1:
                table.setdefault(tuple(f"{name}s".split()), unit)
    return table


def unit_named(words: Sequence[str]) -> Unit | None:
    """The unit with this name, in lower case; None if there is none."""
    return _table().get(tuple(words))
