"""What support answers are about: kinds of facts, as a document and as a bot says them.

In a form, `[a|b]` is one of the two, `{s}` the company, `{k}` the thing that the fact is about,
`{v}` its value. Forms of one fact all say the same, or less than the document. The forms of each
theme are in a table of its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from training.support import table

THEMES = (
    "shop", "hotel", "travel", "software", "health", "recipe", "event", "company", "sport", "club",
)  # fmt: skip

Forms = tuple[str, ...]


@dataclass(frozen=True)
class Valued:
    """Things that have one value each: with another value a form is false."""

    theme: str
    keys: Forms | str  # a word beginning with @ names the pool to draw from
    kind: str
    pool: tuple[object, ...] | str
    doc: Forms
    bot: Forms
    wrong: Forms = ()  # false of the thing whatever its value
    below: Forms = ()  # that the value is less than {b}
    above: Forms = ()
    less: Forms = ()  # that {k} has less than {j}
    more: Forms = ()
    vague: Forms = ()  # with {m}, the month of a date
    floor: Forms = ()  # that nothing less than {v} will do: false only of a higher value
    ceiling: Forms = ()  # that nothing more than {v} will do: false only of a lower value


@dataclass(frozen=True)
class Ruled:
    """Things that are so or not so."""

    theme: str
    keys: Forms
    yes: Forms
    no: Forms
    all_but: Forms = ()  # so of everything of this kind but {k}
    only: Forms = ()  # so of {k} and nothing else of this kind


@dataclass(frozen=True)
class Related:
    """Who did what to whom; never true the other way round."""

    theme: str
    names: str
    doc: Forms
    bot: Forms
    single: bool  # whether {b} can have just one {a}
    wrong: Forms = ()
    many: bool = True  # whether there can be several in one document


@dataclass(frozen=True)
class Listed:
    """Things that come with several items."""

    theme: str
    keys: Forms | str
    items: Forms
    closed: Forms  # that these are all
    open: Forms  # that these are some
    one: Forms  # that {i} is one of them
    lacks: Forms  # that {i} is none of them
    sole: Forms  # that {i} is the only one


Family = Valued | Ruled | Related | Listed
_TYPES: dict[str, type[Family]] = {
    "valued": Valued,
    "ruled": Ruled,
    "related": Related,
    "listed": Listed,
}


def _family(theme: str, fields: Mapping[str, Any]) -> Family:
    fields = {"theme": theme, **fields}
    make = _TYPES[fields.pop("type")]
    pool = fields.get("pool")
    if isinstance(pool, dict):
        fields["pool"] = tuple(range(pool["from"], pool["to"] + 1, pool["step"]))
    return make(**fields)


_TABLES = {theme: table(theme) for theme in THEMES}
FAMILIES = tuple(
    _family(theme, fields) for theme, tables in _TABLES.items() for fields in tables["facts"]
)
TITLES: dict[str, str] = {theme: tables["title"] for theme, tables in _TABLES.items()}
# What no document of the theme says: true or not, one cannot tell.
UNSAID: dict[str, Forms] = {theme: tables["unsaid"] for theme, tables in _TABLES.items()}
# What the wrong forms deny, for the things whose value the document gives.
OPPOSITES: dict[str, str] = table("opposites")["opposites"]
