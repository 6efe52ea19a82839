"""Tables behind the made support answers: JSON files that name their source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent


def table(name: str) -> dict[str, Any]:
    """The fields of a table, with tuples for its lists."""
    fields = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return {key: _frozen(value) for key, value in fields.items()}


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return {key: _frozen(each) for key, each in value.items()}
    return value
