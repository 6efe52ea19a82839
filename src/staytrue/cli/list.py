"""`staytrue list metrics|backends|chatbots|datasets`."""

from __future__ import annotations

import click

from staytrue.registry import GROUPS, names


@click.command()
@click.argument("group", type=click.Choice(GROUPS))
def command(group: str) -> None:
    """List what is registered, built in or from plug-ins: its name and where it lives."""
    found = names(group)
    width = max((len(name) for name in found), default=0)
    for name, value in found.items():
        click.echo(f"{name:<{width}}  {value}")
