"""`staytrue accounts`: the people of a server – roles, passwords, and their data."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from staytrue.core.errors import MissingExtra, UsageError
from staytrue.core.text import counted

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class _Server:
    database: str
    chats: Path
    folder: Path | None
    """Where the database is, if it is the file in --data."""


@click.group()
@click.option("--database", metavar="URL", help="As for `staytrue serve`.")
@click.option(
    "--data", default="staytrue-data", show_default=True, type=click.Path(path_type=Path),
    help="As for `staytrue serve`.",
)  # fmt: skip
@click.pass_context
def command(context: click.Context, database: str | None, data: Path) -> None:
    """The accounts of a server: roles, passwords, and each person's data."""
    own = f"sqlite:///{data / 'staytrue.db'}"
    context.obj = _Server(database or own, data / "chats", None if database else data)


@contextmanager
def _session(url: str) -> Iterator[Session]:
    try:
        from staytrue.web.database import Database
    except ImportError:
        raise MissingExtra("The web app", "web") from None
    database = Database(url)
    try:
        with database.transaction() as session:
            yield session
        database.settle()
    finally:
        database.close()


def _subcommand(function: Callable[..., str]) -> click.Command:
    """A subcommand that works in one transaction and prints what it returns once that holds."""

    @functools.wraps(function)
    def run(**arguments: object) -> None:
        server: _Server = click.get_current_context().obj
        if server.folder is not None and not server.folder.is_dir():
            raise UsageError(
                f"There is no folder {server.folder}: name the server's with --data, or its "
                "--database."
            )
        with _session(server.database) as session:
            text = function(session, **arguments)
        if text:
            click.echo(text)

    return command.command(function.__name__.removesuffix("_accounts"))(run)


_NAME = click.argument("name")


@_subcommand
def list_accounts(session: Session) -> str:
    """List names and roles."""
    from sqlalchemy import select

    from staytrue.web.tables import Account

    accounts = session.scalars(select(Account).order_by(Account.name))
    return "\n".join(f"{account.name}\t{account.role}" for account in accounts)


@_subcommand
@_NAME
def operator(session: Session, name: str) -> str:
    """Make NAME an operator: sees all results, deletes and restores queues."""
    from staytrue.web import accounts

    password = accounts.name_operator(session, name)
    is_new = f"\nThe account is new; its password is  {password}" if password is not None else ""
    return f"{name} is an operator.{is_new}"


@_subcommand
@_NAME
def judge(session: Session, name: str) -> str:
    """Make NAME a judge: judges, chats, and sees the results of their own queues."""
    from staytrue.web import accounts
    from staytrue.web.tables import JUDGE

    accounts.set_role(session, name, JUDGE)
    return f"{name} is a judge."


@_subcommand
@_NAME
@click.password_option(help="Prompted for if omitted, which keeps it out of the shell history.")
def password(session: Session, name: str, password: str) -> str:
    """Set a new password for NAME, who is logged out everywhere."""
    from staytrue.web import accounts

    accounts.reset_password(session, name, password)
    return f"{name} has a new password."


@_subcommand
@_NAME
def export(session: Session, name: str) -> str:
    """Print everything stored about NAME, as JSON."""
    from staytrue.web import people

    return json.dumps(people.data_of(session, name), ensure_ascii=False, indent=2)


@_subcommand
@_NAME
@click.confirmation_option(prompt="Delete the account with its judgements and chats for good?")
def delete(session: Session, name: str) -> str:
    """Delete NAME with all their judgements and chats."""
    from staytrue.web import people

    server: _Server = click.get_current_context().obj
    erased = people.erase(session, name, server.chats)
    chats = counted(erased.chats, "chat")
    return f"Deleted {name}: {counted(erased.judgements, 'judgement')}, {chats}."
