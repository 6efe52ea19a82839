"""`staytrue serve`: the local web app."""

from __future__ import annotations

import socket
from pathlib import Path

import click

from staytrue.core.errors import MissingExtra, UsageError


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
@click.option("--token", envvar="STAYTRUE_TOKEN", help="Password of the site; needed off loopback.")
def command(
    runs: tuple[Path, ...], host: str, port: int, database: str | None, data: Path,
    metrics: tuple[str, ...], backend: str | None, bots: tuple[str, ...], practice: int,
    turns: int, token: str | None,
) -> None:  # fmt: skip
    """Browse runs, judge by hand and chat blind in a local web app."""
    try:
        import uvicorn

        from staytrue.web.app import create_app
    except ImportError:
        raise MissingExtra("The web app", "web") from None
    from staytrue.web.settings import TRIED_METRICS, Settings

    _check(runs, metrics, host, port)
    data.mkdir(parents=True, exist_ok=True)
    settings = Settings(
        database=database or f"sqlite:///{data / 'staytrue.db'}", runs=runs, host=host,
        metrics=metrics or TRIED_METRICS, backend=backend, bots=bots, practice=practice,
        turns=turns, token=token or None, chats_folder=data / "chats",
    )  # fmt: skip
    app = create_app(settings)
    for bot in bots:
        app.state.site.bot(bot)
    app.state.site.scorer.start()
    click.echo(f"Open http://{'[' + host + ']' if ':' in host else host}:{port} – Ctrl-C stops it.")
    uvicorn.run(app, host=host, port=port, log_level="warning", server_header=False)


def _check(runs: tuple[Path, ...], metrics: tuple[str, ...], host: str, port: int) -> None:
    """Refuse what cannot work before anything starts."""
    from staytrue.plugins.options import parse_spec
    from staytrue.plugins.registry import names

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
