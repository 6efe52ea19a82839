"""Options of metrics, backends and chatbots: read from a spec, checked, and typed in one place.

The arguments of a part's constructor or loader are its options; their annotations say the types.
"""

from __future__ import annotations

import inspect
import math
import re
import sys
import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal

from staytrue.core.errors import UsageError
from staytrue.core.text import one_line

_ON, _OFF = ("on", "true", "yes", "1"), ("off", "false", "no", "0")
# In a chatbot's spec a comma separates only if an option's name and an equals sign follow, so that
# URLs, paths and sentences may hold commas.
_SEPARATOR = re.compile(r",(?=\s*[a-z_]+=)")
_OPTION = re.compile(r"\s*[a-z_]+=")
# The least that options of these names may be: less would hang, or never ask.
_LEAST: Mapping[str, float] = {
    "concurrency": 1, "retries": 0, "backoff": 0, "max_tokens": 1, "context": 1, "threads": 0,
    "temperature": 0, "price_in": 0, "price_out": 0, "memory": 0, "per_minute": 0,
    "max_requests": 0, "max_cost": 0,
}  # fmt: skip
_ABOVE_ZERO = frozenset({"timeout", "top_p", "cache_megabytes"})


def parse_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """Split the spec of a metric or backend, `name,option=value,…`."""
    name, *pairs = (part.strip() for part in spec.split(","))
    options = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(
                f"'{pair}' in '{spec}' is not an option: write NAME,option=value,option=value."
            )
        options[key.strip()] = value.strip()
    return name, options


def split_main(rest: str) -> tuple[str, dict[str, str]]:
    """Split what follows a chatbot's name, `main,option=value,…`; main may be empty."""
    parts = _SEPARATOR.split(rest)
    main = "" if _OPTION.match(parts[0]) else parts.pop(0)
    pairs = (part.partition("=") for part in parts)
    return main.strip(), {key.strip(): value.strip() for key, _, value in pairs}


def option_parameters(
    factory: Callable[..., Any], reserved: Collection[str] = ()
) -> dict[str, inspect.Parameter]:
    """The arguments of a part that are options: all but the reserved and the catch-alls."""
    catch_alls = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {
        name: parameter
        for name, parameter in inspect.signature(factory).parameters.items()
        if name not in reserved and parameter.kind not in catch_alls
    }


def typed_options(
    owner: str,
    factory: Callable[..., Any],
    given: Mapping[str, Any],
    reserved: Collection[str] = (),
) -> dict[str, Any]:
    """Check the options against the part's arguments and turn text into their types."""
    allowed = option_parameters(factory, reserved)
    unknown = [option for option in given if option not in allowed]
    if unknown:
        has = f"it has: {', '.join(allowed)}" if allowed else "it has none"
        raise UsageError(f"The {owner} has no option '{unknown[0]}'; {has}.")
    for name, parameter in allowed.items():
        if parameter.default is parameter.empty and name not in given:
            raise UsageError(f"The {owner} needs the option '{name}': add {name}=VALUE.")
    hints = _hints(factory)
    return {
        name: _typed(f"{name} of {owner}", value, hints.get(name, type(allowed[name].default)))
        for name, value in given.items()
    }


def closed_options(factory: Callable[..., Any], reserved: Collection[str] = ()) -> set[str]:
    """The options whose type itself says which values there are: choices, switches and numbers.

    Any other one, such as text, may name a file, a model or an address: only whoever runs the
    program may set it, never a stranger's request.
    """
    hints = _hints(factory)
    return {
        name for name in option_parameters(factory, reserved) if _is_closed(hints.get(name, str))
    }


def _is_closed(hint: Any) -> bool:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return all(map(_is_closed, typing.get_args(hint)))
    return typing.get_origin(hint) is Literal or hint in (bool, int, float, type(None))


def _hints(factory: Callable[..., Any]) -> dict[str, Any]:
    """The types of a part's arguments; those that only a type checker can see are left out."""
    target = factory.__init__ if inspect.isclass(factory) else factory
    try:
        return typing.get_type_hints(target)
    except Exception:  # an annotation is foreign code, and a name may lie under TYPE_CHECKING
        return _hints_one_by_one(factory, getattr(target, "__annotations__", {}))


def _hints_one_by_one(
    factory: Callable[..., Any], annotations: Mapping[str, Any]
) -> dict[str, Any]:
    module = vars(sys.modules[factory.__module__])
    hints = {}
    for name, annotation in annotations.items():
        holder = types.SimpleNamespace(__annotations__={name: annotation})
        try:
            hints.update(typing.get_type_hints(holder, module))
        except Exception:
            continue
    return hints


def _typed(option: str, value: Any, hint: Any) -> Any:
    if typing.get_origin(hint) is Literal:
        return one_of(option, value, typing.get_args(hint))
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        inner = [h for h in typing.get_args(hint) if h is not type(None)]
        return _typed(option, value, inner[0]) if len(inner) == 1 else value
    if hint is bool and isinstance(value, str):
        return switch(option, value)
    if hint in (int, float) and isinstance(value, str):
        return _large_enough(option, number(option, value, hint))
    return value


def switch(option: str, value: str) -> bool:
    """Whether the option is on."""
    if value.lower() in (*_ON, *_OFF):
        return value.lower() in _ON
    raise UsageError(f"Option {option} takes on or off.")


def number(option: str, value: str, kind: type[int] | type[float]) -> int | float:
    """The number, whole if `kind` is int."""
    try:
        parsed = kind(value)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise UsageError(f"Option {option} takes {wanted}, not '{value}'.") from None
    if not math.isfinite(parsed):
        raise UsageError(f"Option {option} takes a finite number, not '{value}'.")
    return parsed


def share(option: str, value: Any) -> float:
    """The number between 0 and 1, given as such or as text."""
    try:
        parsed = float(value)
    except (TypeError, ValueError):
        parsed = math.nan
    if not 0 <= parsed <= 1:
        shown = one_line(str(value), 40)
        raise UsageError(f"Option {option} takes a number between 0 and 1, not '{shown}'.")
    return parsed


def _large_enough(option: str, value: float) -> float:
    name = option.partition(" ")[0]
    if name in _ABOVE_ZERO and value <= 0:
        raise UsageError(f"Option {option} takes a number above 0, not '{value:g}'.")
    if name in _LEAST and value < _LEAST[name]:
        raise UsageError(f"Option {option} takes {_LEAST[name]:g} or more, not '{value:g}'.")
    return value


def one_of(option: str, value: Any, choices: Sequence[Any]) -> Any:
    """The choice that the value spells."""
    for choice in choices:
        if str(choice) == str(value):
            return choice
    raise UsageError(f"Option {option} takes one of: {', '.join(map(str, choices))}.")
