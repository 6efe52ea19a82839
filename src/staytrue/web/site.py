"""What every request shares: settings, database, runs, models and bots."""

from __future__ import annotations

import hmac
import threading
from collections import Counter
from typing import Annotated

from fastapi import Depends, Request

from staytrue.core.protocols import Chatbot
from staytrue.plugins.registry import load_chatbot
from staytrue.web import accounts
from staytrue.web.accounts import Visitor
from staytrue.web.database import Database
from staytrue.web.faults import NotAllowed, NotLoggedIn, TooFast
from staytrue.web.guard import RateLimit
from staytrue.web.runs import Runs
from staytrue.web.scoring import Scorer
from staytrue.web.settings import Settings

COOKIE = "staytrue_login"
_SAFE = ("GET", "HEAD")


class Site:
    """The parts of a running app."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.database = Database(settings.database)
        self.runs = Runs((*settings.runs, settings.chats_folder))
        self.scorer = Scorer(settings.backend)
        # Ten guesses at once, then one every six seconds.
        self.login_limit = RateLimit(1 / 6, burst=10)
        self.counts: Counter[str] = Counter()
        self._bots: dict[str, Chatbot] = {}
        self._loading = threading.Lock()

    def close(self) -> None:
        """Stop the models' thread and let go of the database."""
        self.scorer.close()
        self.database.close()

    def bot(self, spec: str) -> Chatbot:
        """The loaded bot; loading it happens once."""
        with self._loading:
            if spec not in self._bots:
                self._bots[spec] = load_chatbot(spec)
            return self._bots[spec]

    def may_try_secret(self, request: Request, name: str) -> None:
        """Slow down whoever guesses secrets, by address and by name."""
        address = request.client.host if request.client else "?"
        by_name = self.login_limit.allows(f"name {name}")
        if not (self.login_limit.allows(f"address {address}") and by_name):
            raise TooFast("Too many tries; wait a minute.")

    def token_fits(self, given: str | None) -> bool:
        """Whether this is the site's password."""
        token = self.settings.token
        return token is not None and given is not None and hmac.compare_digest(
            given.encode(), token.encode()
        )  # fmt: skip


def the_site(request: Request) -> Site:
    """The site of this app."""
    site: Site = request.app.state.site
    return site


def bearer(request: Request) -> str | None:
    """The token in the Authorization header."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token else None


def maybe_visitor(request: Request, site: Annotated[Site, Depends(the_site)]) -> Visitor | None:
    """Who is logged in, if anyone; a request that changes something must carry its CSRF token."""
    from_header = bearer(request)
    token = from_header or request.cookies.get(COOKIE)
    if not token or len(token) > 200:
        return None
    with site.database.reading() as session:
        found = accounts.visitor(session, token)
    if found and not from_header and request.method not in _SAFE:
        # A browser sends the cookie by itself, so the page must prove that it asked.
        given = request.headers.get("x-csrf-token", "")
        if not hmac.compare_digest(given.encode(), found.csrf.encode()):
            raise NotAllowed("The page is out of date; load it again.")
    return found


def reader(
    request: Request,
    site: Annotated[Site, Depends(the_site)],
    who: Annotated[Visitor | None, Depends(maybe_visitor)],
) -> Visitor | None:
    """Anyone on loopback; with a site password, only those who have an account or know it."""
    if site.settings.token is None or who is not None or site.token_fits(bearer(request)):
        return who
    raise NotLoggedIn("Log in first.")


def person(who: Annotated[Visitor | None, Depends(maybe_visitor)]) -> Visitor:
    """Someone with an account."""
    if who is None:
        raise NotLoggedIn("Log in first: judgements and chats belong to an account.")
    return who


TheSite = Annotated[Site, Depends(the_site)]
Reader = Annotated[Visitor | None, Depends(reader)]
Person = Annotated[Visitor, Depends(person)]
