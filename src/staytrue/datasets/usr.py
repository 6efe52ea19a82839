"""USR (Mehri and Eskenazi, 2020), Topical-Chat and PersonaChat: `usr:PATH`.

`rating` is the mean of the annotators' "Uses Knowledge". The authors' file holds one context with
all its responses per record, renderings of it one response per record; both are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

from staytrue.core.errors import DataError
from staytrue.core.records import Example, Failure, Turn
from staytrue.datasets.files import Row, convert
from staytrue.datasets.tabular import text, with_id

SOURCE = "shikib.com/usr: tc_usr_data.json, pc_usr_data.json; no licence stated"
"""Where the files come from: publisher, names, licence."""

NO_FACT = "_nofact"
PERSONA = "your persona:"


def read(path: str) -> Iterator[Example | Failure]:
    """Responses with the fact they should use; without a fact, `knowledge` is empty."""
    return convert(path, _examples)


def _examples(row: Row) -> Iterator[Example]:
    for response in row.values.get("responses", [row.values]):
        yield with_id(_example(row.values, response))


def _example(context: Mapping[str, Any], response: Mapping[str, Any]) -> Example:
    if "response" not in response:
        raise DataError("The row has no field 'response'.")
    fact = text("fact", context.get("fact")).strip()
    persona = tuple(
        line.removeprefix(PERSONA).strip() for line in fact.splitlines() if line.startswith(PERSONA)
    )
    turns = [t.strip() for t in text("context", context.get("context")).splitlines() if t.strip()]
    ratings = response.get("Uses Knowledge") or []
    return Example(
        id="",
        response=text("response", response["response"]).strip(),
        knowledge="" if fact == NO_FACT else " ".join(persona) or fact,
        history=tuple(
            Turn("user" if (len(turns) - n) % 2 else "bot", turn) for n, turn in enumerate(turns)
        ),
        persona=persona,
        rating=fmean(ratings) if ratings else None,
        tags={"system": text("model", response.get("model")).strip()},
    )
