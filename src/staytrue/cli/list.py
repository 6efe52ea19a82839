"""`staytrue list metrics|backends|chatbots|datasets`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from staytrue.core.errors import StaytrueError
from staytrue.plugins.registry import (
    GROUPS,
    RESERVED,
    chatbot_parameters,
    load_part,
    names,
    option_parameters,
)


@click.command()
@click.argument("group", type=click.Choice(GROUPS))
def command(group: str) -> None:
    """List what is registered, built in or from plug-ins: its name, what it is, its options."""
    registered = names(group)
    width = max((len(name) for name in registered), default=0)
    for name in registered:
        what, options = _about(group, name)
        click.echo(f"{name:<{width}}  {what}")
        if options:
            click.echo(f"{'':<{width}}  {options}")


def _about(group: str, name: str) -> tuple[str, str]:
    """The first line that a part's module says of itself; its options, or where its files are."""
    try:
        part = load_part(group, name)
    except StaytrueError as error:
        return f"not usable: {error}", ""
    module = sys.modules[part.__module__]
    lines = (module.__doc__ or part.__doc__ or "").strip().splitlines()
    if group == "datasets":
        source = getattr(module, "SOURCE", "")
        more = f"files: {source}" if source else ""
    else:
        options = _options(group, part)
        more = f"options: {', '.join(options)}" if options else ""
    return lines[0] if lines else part.__module__, more


def _options(group: str, part: Callable[..., Any]) -> list[str]:
    if group == "chatbots":
        _, options = chatbot_parameters(part)
    else:
        options = option_parameters(part, RESERVED if group == "metrics" else ())
    return [
        f"{p.name}={'' if p.default in (None, p.empty) else p.default}" for p in options.values()
    ]
