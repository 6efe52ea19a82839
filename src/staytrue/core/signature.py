"""What makes two scores comparable: name, version, models, options and seed, in one line.

Example: `q2|staytrue:0.2.0|backend:embedded|answer:staytrue-reading@9c1d|nli:off|top:5`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from staytrue.core.errors import UsageError


def write(name: str, parts: Mapping[str, object]) -> str:
    """The signature of a metric; parts keep their order, and separators are made safe."""
    return "|".join([_plain(name), *(f"{_plain(k)}:{_plain(v)}" for k, v in parts.items())])


def _plain(value: object) -> str:
    return str(value).replace("|", "/").replace("\n", " ")


def read(signature: str) -> dict[str, str]:
    """The parts of a signature, the name under "metric"."""
    name, *parts = signature.split("|")
    fields = (part.partition(":") for part in parts)
    return {"metric": name, **{key: value for key, _, value in fields}}


def differences(left: str, right: str) -> list[str]:
    """Say in what two signatures differ, one phrase each; empty when they are equal."""
    a, b = read(left), read(right)
    keys: Iterable[str] = [*a, *(key for key in b if key not in a)]
    return [
        f"{key} is {a.get(key, 'absent')} in one and {b.get(key, 'absent')} in the other"
        for key in keys
        if a.get(key) != b.get(key)
    ]


def settle(metric: Any, compat: str, settings: Mapping[str, object]) -> None:
    """Give a frozen metric these options, so that its signature says what is done.

    An option that was given another value contradicts the name, which is refused.
    """
    plain = {field.name: field.default for field in fields(metric)}
    for name, value in settings.items():
        if getattr(metric, name) not in (plain[name], value):
            raise UsageError(f"compat={compat} means {name}={value}: leave {name} out.")
        object.__setattr__(metric, name, value)
