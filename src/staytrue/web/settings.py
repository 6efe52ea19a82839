"""What a server is started with."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from staytrue.core.errors import UsageError

TRIED_METRICS = ("consistency", "q2", "nli", "begin")


@dataclass(frozen=True)
class Settings:
    """Everything the app needs to know; all but the database has a default."""

    database: str
    """SQLAlchemy URL, such as sqlite:///judgements.db or postgresql+psycopg://host/name."""
    runs: tuple[Path, ...] = ()
    """Run folders, or folders that hold run folders."""
    metrics: tuple[str, ...] = TRIED_METRICS
    """What "Try" and `POST /v1/score` judge with; a request may ask for these and no others."""
    backend: str | None = None
    bots: tuple[str, ...] = ()
    """Chatbots to talk to blind, by their specs."""
    practice: int = 1
    """Practice chats before the first one that counts."""
    turns: int = 5
    """Messages a person must send before a chat can be scored."""
    target: int = 0
    """Chats that count which each person should have with each bot; 0 sets none."""
    chats_folder: Path = Path("chats")
    """Where finished chats are written as run folders."""
    token: str | None = None
    """The site's password; without one the server answers on loopback only."""
    host: str = "127.0.0.1"
    most_bytes: int = 2_000_000
    """The largest request that is read."""
    workers: int = 2
    """Processes that judge; one client never holds all of them."""
    most_characters: int = 100_000
    """How much text one request may send to be judged."""
    judging_seconds: float = 30.0
    """How long judging one request may take; then it is ended."""
    reply_seconds: float = 60.0
    """How long a person waits for a bot's answer."""
    requests_per_second: float = 50.0
    """What one client may send on average; twice that in a burst."""
    grace_days: int = 7
    """How long a deleted queue can be restored."""
    proxies: tuple[str, ...] = ()
    """Addresses of reverse proxies whose X-Forwarded-For is believed; nobody else's is."""
    body_seconds: float = 30.0
    """How long a request's body may take to arrive."""
    claim_minutes: int = 30
    """How long an item that was opened but not judged stays reserved."""

    def __post_init__(self) -> None:
        if self.token is not None and len(self.token) < 8:
            raise UsageError("The token is too short: choose at least 8 characters.")
        if self.token is None and not is_loopback(self.host):
            raise UsageError(
                f"Serving on {self.host} shows the runs to the network: set a password with "
                "--token or STAYTRUE_TOKEN, or stay on 127.0.0.1."
            )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
