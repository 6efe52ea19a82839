"""What every request shares: settings, database, runs, models and bots; and who may do what."""

from __future__ import annotations

import hmac
import threading
from collections import Counter
from typing import Annotated

from fastapi import Depends, Request

from staytrue.core.protocols import Chatbot
from staytrue.plugins.registry import load_chatbot
from staytrue.web import accounts, queues
from staytrue.web.accounts import Visitor
from staytrue.web.database import Database
from staytrue.web.faults import NotAllowed, NotLoggedIn
from staytrue.web.guard import COOKIE, Clients, RateLimit
from staytrue.web.runs import Runs
from staytrue.web.scoring import Scorer
from staytrue.web.settings import Settings
from staytrue.web.talking import Talkers
from staytrue.web.throttle import Guesses

_SAFE = ("GET", "HEAD")


class Site:
    """The parts of a running app."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.database = Database(settings.database)
        self.runs = Runs(settings.runs)
        # Chats are their talkers' and name the bots: only operators see them as runs.
        self._all_runs = Runs((*settings.runs, settings.chats_folder))
        self.scorer = Scorer(
            settings.backend, warm=settings.metrics, workers=settings.workers,
            most_characters=settings.most_characters, seconds=settings.judging_seconds,
        )  # fmt: skip
        self.talkers = Talkers(settings.reply_seconds)
        self.clients = Clients()
        self.guesses = Guesses()
        # A team of a hundred may sign up at once behind one address, a robot not for long.
        self.sign_ups = RateLimit(1 / 30, burst=100)
        with self.database.transaction() as session:
            queues.purge(session, settings.grace_days)
        self.counts: Counter[str] = Counter()
        self._bots: dict[str, Chatbot] = {}
        self._loading = threading.Lock()

    def close(self) -> None:
        """Stop the models' processes and let go of the database."""
        self.scorer.close()
        self.talkers.close()
        self.database.close()

    def bot(self, spec: str) -> Chatbot:
        """The loaded bot; loading it happens once."""
        with self._loading:
            if spec not in self._bots:
                self._bots[spec] = load_chatbot(spec)
            return self._bots[spec]

    def runs_for(self, who: Visitor | None) -> Runs:
        """The runs that this visitor may see."""
        return self._all_runs if who is not None and who.is_operator else self.runs

    def token_fits(self, given: str | None, address: str) -> bool:
        """Whether this is the site's password; wrong ones make the address wait."""
        token = self.settings.token
        if token is None or given is None:
            return False
        self.guesses.check("", address)
        if hmac.compare_digest(given.encode(), token.encode()):
            return True
        self.guesses.failed("", address)
        return False


def the_site(request: Request) -> Site:
    """The site of this app."""
    site: Site = request.app.state.site
    return site


def address_of(request: Request) -> str:
    """Where the request comes from, as far as a trusted proxy tells."""
    return request.client.host if request.client else "?"


def client_of(request: Request, who: Visitor | None) -> str:
    """Whose request it is: an account's, or an address's."""
    if who is not None:
        return f"account {who.account_id}"
    return f"address {address_of(request)}"


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
        visitor = accounts.visitor(session, token)
    if visitor:
        site.clients.remember(token, visitor.account_id)
    if visitor and not from_header and request.method not in _SAFE:
        # A browser sends the cookie by itself, so the page must prove that it asked.
        given = request.headers.get("x-csrf-token", "")
        if not hmac.compare_digest(given.encode(), visitor.csrf.encode()):
            raise NotAllowed("The page is out of date; reload it.")
    return visitor


def reader(
    request: Request,
    site: Annotated[Site, Depends(the_site)],
    who: Annotated[Visitor | None, Depends(maybe_visitor)],
) -> Visitor | None:
    """Anyone on loopback; with a site password, only those who have an account or know it."""
    if site.settings.token is None or who is not None:
        return who
    if site.token_fits(bearer(request), address_of(request)):
        return who
    raise NotLoggedIn("Log in first.")


def person(who: Annotated[Visitor | None, Depends(maybe_visitor)]) -> Visitor:
    """Someone with an account."""
    if who is None:
        raise NotLoggedIn("Log in first: judgements and chats belong to an account.")
    return who


def operator(who: Annotated[Visitor, Depends(person)]) -> Visitor:
    """Someone who runs the site."""
    if not who.is_operator:
        raise NotAllowed("Only an operator of this site may do that.")
    return who


TheSite = Annotated[Site, Depends(the_site)]
Reader = Annotated[Visitor | None, Depends(reader)]
Person = Annotated[Visitor, Depends(person)]
Operator = Annotated[Visitor, Depends(operator)]
