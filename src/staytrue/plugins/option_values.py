"""The text that a user writes for an option, turned into its value or refused in one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from staytrue.core.errors import UsageError

_ON, _OFF = ("on", "true", "yes", "1"), ("off", "false", "no", "0")


def switch(option: str, value: str) -> bool:
    """Whether the option is on."""
    if value.lower() in (*_ON, *_OFF):
        return value.lower() in _ON
    raise UsageError(f"Option {option} takes on or off.")


def number(option: str, value: str, kind: type[int] | type[float]) -> int | float:
    """The number, whole if `kind` is int."""
    try:
        found = kind(value)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise UsageError(f"Option {option} takes {wanted}, not '{value}'.") from None
    if not math.isfinite(found):
        raise UsageError(f"Option {option} takes a finite number, not '{value}'.")
    return found


def one_of(option: str, value: Any, choices: Sequence[Any]) -> Any:
    """The choice that the value spells."""
    for choice in choices:
        if str(choice) == str(value):
            return choice
    raise UsageError(f"Option {option} takes one of: {', '.join(map(str, choices))}.")
