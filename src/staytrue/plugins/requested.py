"""What a stranger's request may ask for: metrics that were allowed, with harmless options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from staytrue.core.errors import UsageError
from staytrue.plugins.registry import RESERVED, closed_options, load_part, parse_spec, typed_options


def requested_metric(spec: str, allowed: Sequence[str]) -> str:
    """The spec of a request, if it is one of the allowed ones or adds options to one.

    The options that it adds are of a closed type, so that no request opens a file or an address.
    """
    name, given = parse_spec(spec)
    for one in allowed:
        base, fixed = parse_spec(one)
        if base == name and fixed.items() <= given.items():
            added = {option: value for option, value in given.items() if option not in fixed}
            _check(name, added)
            options = fixed | dict(sorted(added.items()))
            return ",".join([name, *(f"{key}={value}" for key, value in options.items())])
    raise UsageError(f"The metric '{spec}' is not allowed here; choose from: {', '.join(allowed)}.")


def _check(name: str, added: Mapping[str, Any]) -> None:
    factory = load_part("metrics", name)
    typed_options(f"metric {name}", factory, added, RESERVED)
    closed = closed_options(factory, RESERVED)
    for option in added:
        if option not in closed:
            raise UsageError(
                f"The option {option} of metric {name} can only be set when the server is started."
            )
