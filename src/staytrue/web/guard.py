"""What stands between the network and the app: sizes, rates, hosts, origins and headers."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
import time
import traceback
from collections import Counter, OrderedDict
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from staytrue.web.settings import Settings, is_loopback

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
_log = logging.getLogger("staytrue.web")
COOKIE = "staytrue_login"
_TEAM = 4
# The app has forty threads: one client leaves most of them to the others.
_OPEN_OF_ACCOUNT, _OPEN_OF_ADDRESS = 8, 24
_SAFE = ("GET", "HEAD", "OPTIONS")


class RateLimit:
    """A bucket of tokens for each client; an empty one means wait."""

    def __init__(
        self, per_second: float, burst: float | None = None, most_clients: int = 10_000
    ) -> None:
        self._rate = per_second
        self._burst = 2 * per_second if burst is None else burst
        self._most = most_clients
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def allows(self, client: str) -> bool:
        """Take a token of the client's, if there is one."""
        now = time.monotonic()
        with self._lock:
            tokens, last = self._buckets.pop(client, (self._burst, now))
            tokens = min(self._burst, tokens + (now - last) * self._rate)
            allowed = tokens >= 1
            self._buckets[client] = (tokens - 1 if allowed else tokens, now)
            while len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
        return allowed


class Clients:
    """Whose request it is: an account's if its login is known to be good, else an address's.

    A login is remembered when the database has confirmed it, so a made-up one buys nothing.
    """

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._known: OrderedDict[str, int] = OrderedDict()

    def remember(self, token: str, account_id: int) -> None:
        """This login is good."""
        self._known[_digest(token)] = account_id
        while len(self._known) > self._most:
            self._known.popitem(last=False)

    def of(self, scope: Scope) -> str:
        """The client's key."""
        headers = Headers(scope=scope)
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            token = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        account = self._known.get(_digest(token.strip())) if token else None
        if account is not None:
            return f"account {account}"
        return f"address {scope['client'][0] if scope.get('client') else '?'}"


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


class RequestGuard:
    """Turns away what is too large, too fast or from elsewhere; adds the safety headers."""

    def __init__(
        self, app: ASGIApp, settings: Settings, counts: Counter[str], clients: Clients
    ) -> None:
        self._app = app
        self._counts = counts
        self._settings = settings
        self._clients = clients
        self._account_rate = RateLimit(settings.requests_per_second)
        # Before they log in, a whole team may sit behind one address.
        self._address_rate = RateLimit(_TEAM * settings.requests_per_second)
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(receive, self._settings.most_bytes, self._settings.body_seconds)
        begin, started = time.monotonic(), False

        async def sent(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                if body.too_large or body.too_slow:
                    message["status"] = 413 if body.too_large else 408
                self._counts[f"status {message['status']}"] += 1
                self._counts["milliseconds"] += round(1000 * (time.monotonic() - begin))
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                if not scope["path"].startswith("/static/"):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        client = self._clients.of(scope)
        refusal = self._refusal(scope, client)
        if refusal is not None:
            await refusal(scope, receive, sent)
            return
        self._open[client] += 1
        try:
            await self._app(scope, body.receive, sent)
        except Exception as error:
            # A mistake of ours: the log has the trace, the visitor a sentence with safe headers.
            # The error's own text may quote what a person wrote, so it stays out of the log.
            places = "".join(traceback.format_tb(error.__traceback__))
            _log.error("A request failed with %s:\n%s", type(error).__name__, places)
            if not started:
                await _refuse(500, "The server failed; see its log.")(scope, receive, sent)
        finally:
            self._open[client] -= 1
            if not self._open[client]:
                del self._open[client]

    def _refusal(self, scope: Scope, client: str) -> JSONResponse | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        # Without a password only loopback names are served: a foreign page that points its own
        # name at this machine (DNS rebinding) gets nothing.
        if self._settings.token is None and not is_loopback(_host_name(host)):
            return _refuse(
                421, "This server answers only to loopback names; set a token to open it."
            )
        origin = headers.get("origin")
        foreign = origin is not None and urlsplit(origin).netloc != host
        if scope["method"] not in _SAFE and foreign:
            return _refuse(403, "The request comes from another site.")
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._settings.most_bytes:
            most = self._settings.most_bytes
            return _refuse(413, f"The request is larger than {most:,} bytes; send less at once.")
        if scope["path"] == "/health":  # whoever watches the server always gets an answer
            return None
        is_account = client.startswith("account")
        rate = self._account_rate if is_account else self._address_rate
        most = _OPEN_OF_ACCOUNT if is_account else _OPEN_OF_ADDRESS
        if self._open[client] >= most or not rate.allows(client):
            return _refuse(429, "Too many requests; wait a second.", {"Retry-After": "1"})
        return None


class _Body:
    """Watches a request's body as it arrives; it ends where it is too large or takes too long."""

    def __init__(self, receive: Receive, most: int, seconds: float) -> None:
        self._receive = receive
        self._left = most
        self._until = time.monotonic() + seconds
        self._complete = False
        self.too_large = False
        self.too_slow = False

    async def receive(self) -> Message:
        if self._complete:  # what comes now is the end of the connection, however late
            return await self._receive()
        try:
            left = max(0.0, self._until - time.monotonic())
            message = await asyncio.wait_for(self._receive(), left)
        except asyncio.TimeoutError:
            self.too_slow = self._complete = True
            return {"type": "http.disconnect"}
        self._complete = not message.get("more_body", False)
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            self.too_large = True
            return {"type": "http.request", "body": b"", "more_body": False}
        return message


def _host_name(host: str) -> str:
    return urlsplit(f"//{host}").hostname or ""


def _refuse(status: int, sentence: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": sentence}, status, headers)
