"""Read what follows the colon of a chatbot's spec: a main part, then `,option=value` pairs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from staytrue.core.errors import UsageError
from staytrue.plugins import option_values

# A comma only separates when an option's name and an equals sign follow, so that URLs and
# paths may hold commas.
_SEPARATOR = re.compile(r",(?=\s*[a-z_]+=)")
_OPTION = re.compile(r"\s*[a-z_]+=")


def split(rest: str) -> tuple[str, dict[str, str]]:
    """`main,option=value,…` → the main part (perhaps empty) and the options as text."""
    parts = _SEPARATOR.split(rest)
    main = "" if _OPTION.match(parts[0]) else parts.pop(0)
    pairs = (part.partition("=") for part in parts)
    return main.strip(), {key.strip(): value.strip() for key, _, value in pairs}


# The least that options of these names may be: less would hang, or never ask.
_LEAST: Mapping[str, float] = {
    "concurrency": 1, "retries": 0, "backoff": 0, "max_tokens": 1, "context": 1, "threads": 1,
    "temperature": 0, "price_in": 0, "price_out": 0, "memory": 0,
}  # fmt: skip
_ABOVE_ZERO = frozenset({"timeout", "top_p"})


def read(owner: str, given: Mapping[str, str], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The options over their defaults, each turned into the type that its default has."""
    unknown = [option for option in given if option not in defaults]
    if unknown:
        raise UsageError(
            f"The chatbot {owner} has no option '{unknown[0]}'; it has: {', '.join(defaults)}."
        )
    return {
        name: _typed(f"{name} of chatbot {owner}", given[name], default)
        if name in given
        else default
        for name, default in defaults.items()
    }


def _typed(option: str, value: str, default: Any) -> Any:
    if isinstance(default, bool):
        return option_values.switch(option, value)
    if isinstance(default, int | float):
        number = option_values.number(option, value, type(default))
        _check_size(option, number, value)
        return number
    return value


def _check_size(option: str, number: float, value: str) -> None:
    name = option.partition(" ")[0]
    if name in _ABOVE_ZERO and number <= 0:
        raise UsageError(f"Option {option} takes a number above 0, not '{value}'.")
    if name in _LEAST and number < _LEAST[name]:
        raise UsageError(f"Option {option} takes {_LEAST[name]:g} or more, not '{value}'.")
