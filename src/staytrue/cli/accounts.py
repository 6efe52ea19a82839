"""`staytrue accounts`: the people of a server – roles, passwords, and their data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from staytrue.core.errors import MissingExtra

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


@click.group()
@click.option("--database", metavar="URL", help="As for `staytrue serve`.")
@click.option(
    "--data", default="staytrue-data", show_default=True, type=click.Path(path_type=Path),
    help="As for `staytrue serve`.",
)  # fmt: skip
@click.pass_context
def command(context: click.Context, database: str | None, data: Path) -> None:
    """The accounts of a server: roles, passwords, and each person's data."""
    context.obj = {"url": database or f"sqlite:///{data / 'staytrue.db'}", "chats": data / "chats"}


@contextmanager
def _session(settings: dict[str, Any]) -> Iterator[Session]:
    try:
        from staytrue.web.database import Database
    except ImportError:
        raise MissingExtra("The web app", "web") from None
    database = Database(settings["url"])
    try:
        with database.transaction() as session:
            yield session
        database.settle()
    finally:
        database.close()


@command.command("list")
@click.pass_obj
def list_accounts(settings: dict[str, Any]) -> None:
    """List names and roles."""
    with _session(settings) as session:
        from sqlalchemy import select

        from staytrue.web.tables import Account

        for account in session.scalars(select(Account).order_by(Account.name)):
            click.echo(f"{account.name}\t{account.role}")


@command.command()
@click.argument("name")
@click.pass_obj
def operator(settings: dict[str, Any], name: str) -> None:
    """Make NAME an operator: sees all results, deletes and restores queues."""
    with _session(settings) as session:
        from staytrue.web import accounts

        password = accounts.name_operator(session, name)
    click.echo(f"{name} is an operator.")
    if password is not None:
        click.echo(f"The account is new; its password is  {password}")


@command.command()
@click.argument("name")
@click.pass_obj
def judge(settings: dict[str, Any], name: str) -> None:
    """Make NAME a judge: judges, chats, and sees the results of queues of their own."""
    with _session(settings) as session:
        from staytrue.web import accounts
        from staytrue.web.tables import JUDGE

        accounts.set_role(session, name, JUDGE)
    click.echo(f"{name} is a judge.")


@command.command()
@click.argument("name")
@click.password_option(help="Asked for when it is left out, so that no shell remembers it.")
@click.pass_obj
def password(settings: dict[str, Any], name: str, password: str) -> None:
    """Set a new password for NAME, who is logged out everywhere."""
    with _session(settings) as session:
        from staytrue.web import accounts

        accounts.reset_password(session, name, password)
    click.echo(f"{name} has a new password.")


@command.command()
@click.argument("name")
@click.pass_obj
def export(settings: dict[str, Any], name: str) -> None:
    """Print all that is stored about NAME, as JSON."""
    with _session(settings) as session:
        from staytrue.web import people

        click.echo(json.dumps(people.data_of(session, name), ensure_ascii=False, indent=2))


@command.command()
@click.argument("name")
@click.confirmation_option(prompt="Delete the account with its judgements and chats for good?")
@click.pass_obj
def delete(settings: dict[str, Any], name: str) -> None:
    """Delete NAME with all their judgements and chats."""
    with _session(settings) as session:
        from staytrue.web import people

        erased = people.erase(session, name, settings["chats"])
    click.echo(f"Deleted {name}: {erased.judgements} judgements, {erased.chats} chats.")
