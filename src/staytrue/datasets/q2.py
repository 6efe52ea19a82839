"""The Q² annotations (Honovich et al., 2021): `q2:PATH`.

Two kinds of files: the cross-annotation, whose rows hold both systems' responses and whose labels
say 1 for *in*consistent, and the response-level files, one response per row, whose label is a
column or, in the authors' files, part of the file's name (`dodeca_inconsistent.csv`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from staytrue.core.errors import DataError
from staytrue.core.records import Example, Failure, Turn
from staytrue.datasets.files import convert
from staytrue.datasets.tabular import text, truth

SOURCE = (
    "github.com/orhonovich/q-squared (Apache-2.0), third_party/data: cross_annotation.csv, "
    "dodeca_inconsistent.csv, memnet_consistent.csv …; dialogues of Wizard of Wikipedia (CC "
    "BY 4.0)"
)
"""Where the files come from: publisher, names, licence."""

SYSTEMS = ("dodeca", "memnet")


def read(path: str) -> Iterator[Example | Failure]:
    """Both systems' responses, their labels turned the right way round."""
    return convert(path, lambda row: _examples(row.values, path))


def _examples(values: Mapping[str, Any], path: str) -> Iterator[Example]:
    if "response" in values:
        system = text("system", values.get("system")) or _system_in_name(path)
        label = text("label", values.get("label")).strip() or _label_in_name(path)
        consistent = truth(label) if label in ("consistent", "inconsistent") else None
        yield _example(values, system, text("response", values["response"]), consistent, label)
        return
    systems = [system for system in SYSTEMS if f"{system}_response" in values]
    if not systems:
        raise DataError("The row has neither 'response' nor 'dodeca_response'.")
    for system in systems:
        inconsistent = truth(values.get(f"{system}_label"))
        consistent = None if inconsistent is None else not inconsistent
        response = text("response", values[f"{system}_response"])
        yield _example(values, system, response, consistent, "")


def _example(
    values: Mapping[str, Any], system: str, response: str, consistent: bool | None, label: str
) -> Example:
    episode = text("episode", values.get("episode_idx", values.get("episode"))).strip()
    context = f"{episode}-{text('round', values.get('round')).strip()}"
    message = text("message", values.get("message"))
    tags = {
        "system": system,
        "context": context,
        "topic": text("topic", values.get("topic")).strip(),
        "gold": text("gold", values.get("gold")),
    }
    return Example(
        id="-".join(part for part in (context, system, label) if part),
        response=response,
        knowledge=text("knowledge", values.get("knowledge")),
        history=(Turn("user", message),) if message else (),
        consistent=consistent,
        tags={name: value for name, value in tags.items() if value},
    )


def _system_in_name(path: str) -> str:
    return next((system for system in SYSTEMS if system in Path(path).name), "")


def _label_in_name(path: str) -> str:
    name = Path(path).name
    return next((label for label in ("inconsistent", "consistent") if label in name), "")
