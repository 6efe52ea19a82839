"""`staytrue list metrics|backends|chatbots|datasets`."""

from __future__ import annotations

import inspect
from importlib import import_module

import click

from staytrue.plugins.registry import GROUPS, names


@click.command()
@click.argument("group", type=click.Choice(GROUPS))
def command(group: str) -> None:
    """List what is registered, built in or from plug-ins: its name, what it is, its options."""
    found = names(group)
    width = max((len(name) for name in found), default=0)
    for name, place in found.items():
        what, options = _about(place)
        click.echo(f"{name:<{width}}  {what}")
        if options:
            click.echo(f"{'':<{width}}  options: {', '.join(options)}")


def _about(place: str) -> tuple[str, list[str]]:
    """The first line that a part's module says of itself, and its options with their defaults."""
    module_name, _, attribute = place.partition(":")
    try:
        module = import_module(module_name)
    except ImportError as error:
        return f"{place} (not usable here: {error})", []
    lines = (module.__doc__ or place).strip().splitlines()
    return lines[0], _options(getattr(module, attribute, None))


def _options(part: object) -> list[str]:
    if not inspect.isclass(part):
        return []
    parameters = inspect.signature(part).parameters.values()
    named = [p for p in parameters if p.name not in ("backend", "seed", "self")]
    return [f"{p.name}={'' if p.default is None else p.default}" for p in named]
