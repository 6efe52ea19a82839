"""`staytrue serve`: the local web app."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from staytrue.core.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from staytrue.web.database import Database
    from staytrue.web.settings import Settings


@click.command()
@click.argument("runs", nargs=-1, type=click.Path(path_type=Path), metavar="[RUN…]")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535))
@click.option("--database", metavar="URL", help="SQLite file in --data, or postgresql+psycopg://…")
@click.option(
    "--data", default="staytrue-data", show_default=True, type=click.Path(path_type=Path),
    help="Folder for the SQLite file and finished chats.",
)  # fmt: skip
@click.option("--metric", "metrics", multiple=True, help="Metric of the page Try; may be repeated.")
@click.option("--backend", help="Backend of these metrics.")
@click.option("--bot", "bots", multiple=True, metavar="SPEC", help="Bot to chat with blind.")
@click.option(
    "--practice", type=click.IntRange(0), default=1, show_default=True,
    help="Practice chats first.",
)  # fmt: skip
@click.option(
    "--turns", type=click.IntRange(1), default=5, show_default=True,
    help="Messages before a chat is scored.",
)  # fmt: skip
@click.option(
    "--target", type=click.IntRange(0), default=0, metavar="N",
    help="Chats each person should have with each bot; AIH's experts had 10 of 15 turns.",
)  # fmt: skip
@click.option("--token", envvar="STAYTRUE_TOKEN", help="Password of the site; needed off loopback.")
@click.option("--operator", metavar="NAME", help="Account that may see results and delete queues.")
@click.option(
    "--proxy", "proxies", multiple=True, metavar="ADDRESS",
    help="Reverse proxy whose X-Forwarded-For is trusted; may be repeated.",
)  # fmt: skip
@click.option(
    "--workers", type=click.IntRange(1), default=2, show_default=True,
    help="Processes that judge; each loads the models.",
)  # fmt: skip
def command(
    runs: tuple[Path, ...], host: str, port: int, database: str | None, data: Path,
    metrics: tuple[str, ...], backend: str | None, bots: tuple[str, ...], practice: int,
    turns: int, target: int, token: str | None, operator: str | None, proxies: tuple[str, ...],
    workers: int,
) -> None:  # fmt: skip
    """Browse runs, judge by hand and chat blind in a local web app."""
    try:
        import uvicorn

        from staytrue.web.app import create_app
        from staytrue.web.connections import MOST_OF_ADDRESS, impatient
    except ImportError:
        raise MissingExtra("The web app", "web") from None
    from staytrue.web.settings import TRIED_METRICS, Settings

    _check(runs, metrics, host, port)
    data.mkdir(parents=True, exist_ok=True)
    settings = Settings(
        database=database or f"sqlite:///{data / 'staytrue.db'}", runs=runs, host=host,
        metrics=metrics or TRIED_METRICS, backend=backend, bots=bots, practice=practice,
        turns=turns, target=target, token=token or None, chats_folder=data / "chats",
        proxies=proxies, workers=workers,
    )  # fmt: skip
    app = create_app(settings)
    for bot in bots:
        app.state.site.bot(bot)
    _name_operator(app.state.site.database, operator, settings)
    app.state.site.scorer.start()
    click.echo(f"Open http://{'[' + host + ']' if ':' in host else host}:{port} – Ctrl-C stops it.")
    uvicorn.run(
        app, host=host, port=port, log_level="warning", server_header=False,
        # The app itself believes the proxies it was told of, and no others.
        proxy_headers=False, limit_concurrency=1_000,
        # Long requests under way, such as an attacker's, do not keep the server from stopping.
        timeout_graceful_shutdown=10,
        http=impatient(most_of_address=None if proxies else MOST_OF_ADDRESS),
    )  # fmt: skip


def _name_operator(database: Database, name: str | None, settings: Settings) -> None:
    """Make the account an operator's; a new one gets a password, shown here and nowhere else."""
    from staytrue.web import accounts

    with database.transaction() as session:
        password = accounts.name_operator(session, name) if name else None
        if not accounts.has_operator(session) and (
            settings.token is not None or not accounts.is_empty(session)
        ):
            click.echo("No operator yet: name one with  --operator NAME.", err=True)
    if password is not None and sys.stdout.isatty():
        click.echo(f"The account '{name}' is new; its password is  {password}")
    elif password is not None:  # what is printed may end in a log
        click.echo(f"Set the password of '{name}' with  staytrue accounts password {name}.")


def _check(runs: tuple[Path, ...], metrics: tuple[str, ...], host: str, port: int) -> None:
    """Refuse what cannot work before anything starts."""
    from staytrue.plugins.registry import names, parse_spec

    for run in runs:
        if not run.is_dir():
            raise UsageError(f"There is no folder {run}: name run folders, or a folder of them.")
    known = names("metrics")
    for metric in metrics:
        if parse_spec(metric)[0] not in known:
            raise UsageError(f"There is no metric '{metric}': see  staytrue list metrics.")
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise UsageError(
                f"Cannot listen on {host}, port {port} ({error.strerror}): choose another --port."
            ) from None
