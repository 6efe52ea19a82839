"""What stands between the network and the app: sizes, rates, hosts, origins and headers."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, OrderedDict
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
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
_TEAM = 50
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


class Guard:
    """Turns away what is too large, too fast or from elsewhere; adds the safety headers."""

    def __init__(self, app: ASGIApp, settings: Settings, counts: Counter[str]) -> None:
        self._app = app
        self._counts = counts
        self._settings = settings
        self._rate = RateLimit(settings.requests_per_second)
        # A whole team may sit behind one address, but a made-up cookie buys no extra tokens.
        self._address_rate = RateLimit(_TEAM * settings.requests_per_second)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(receive, self._settings.most_bytes)
        begin, started = time.monotonic(), False

        async def sent(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                if body.too_large:
                    message["status"] = 413
                self._counts[f"status {message['status']}"] += 1
                self._counts["milliseconds"] += round(1000 * (time.monotonic() - begin))
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                if not scope["path"].startswith("/static/"):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, sent)
            return
        try:
            await self._app(scope, body.receive, sent)
        except Exception:
            # A mistake of ours: the log has the trace, the visitor a sentence with safe headers.
            _log.exception("A request failed.")
            if not started:
                await _refuse(500, "The server made a mistake; it is in its log.")(
                    scope, receive, sent
                )

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        # Without a password only loopback names are served: a foreign page that points its own
        # name at this machine (DNS rebinding) gets nothing.
        if self._settings.token is None and not is_loopback(_host_name(host)):
            return _refuse(421, "This server answers on loopback names only; a token opens it.")
        origin = headers.get("origin")
        foreign = origin is not None and urlsplit(origin).netloc != host
        if scope["method"] not in _SAFE and foreign:
            return _refuse(403, "The request comes from another site.")
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._settings.most_bytes:
            most = self._settings.most_bytes
            return _refuse(413, f"The request is larger than {most:,} bytes; send less at once.")
        address = scope["client"][0] if scope.get("client") else "?"
        login = f"{headers.get('cookie', '')[:200]} {headers.get('authorization', '')[:200]}"
        fast = not self._rate.allows(f"{address} {login}")
        if fast or not self._address_rate.allows(address):
            return _refuse(429, "Too many requests; wait a second.", {"Retry-After": "1"})
        return None


class _Body:
    """Counts a request's body as it arrives; one without a length ends where it is too large."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._left = most
        self.too_large = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            self.too_large = True
            return {"type": "http.request", "body": b"", "more_body": False}
        return message


def _host_name(host: str) -> str:
    return urlsplit(f"//{host}").hostname or ""


def _refuse(status: int, sentence: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": sentence}, status, headers)
