"""Post JSON to a model's server: time-outs, retries with backoff, a limit on open requests.

Chatbots and backends share it. The retries are ours and not a library's: they obey Retry-After, are
counted in the usage, and give up at once on what no retry can help.

Secrets travel in headers only. They are taken out of every message that this module raises,
because some servers send the key back in their error text.
"""

from __future__ import annotations

import email.utils
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Any

from staytrue.core.errors import ChatbotError, ChatbotRefusal, StaytrueError, UsageError
from staytrue.core.text import one_line
from staytrue.core.usage import Usage

if TYPE_CHECKING:
    import httpx

# Too many requests, and the server-side failures that pass by themselves.
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
# What every other request would meet as well, and what the user can mend.
_HOPELESS = {401: "check the key", 404: "check the address and the model's name"}

# The options of a spec that shape the transport, whatever the server speaks.
OPTIONS: Mapping[str, Any] = {"timeout": 60.0, "retries": 5, "backoff": 1.0, "concurrency": 8}


# A server that may just be starting is given so many tries before it counts as not there.
_KNOCKS = 2


@dataclass
class Transport:
    """Sends one request at a time per caller, at most `concurrency` at once."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 60.0
    retries: int = 5
    backoff: float = 1.0
    longest_wait: float = 60.0
    """Seconds between tries where the server does not say when to come back."""
    longest_asked_wait: float = 600.0
    """Seconds that are waited when the server asks for it; one that asks for more is given up."""
    concurrency: int = 8
    secrets: tuple[str, ...] = field(default=(), repr=False)
    usage: Usage = field(default_factory=Usage)
    failure: type[StaytrueError] = ChatbotError
    """Raised when the server does not answer, though it may do so later."""
    refusal: type[StaytrueError] = ChatbotRefusal
    """Raised when the server would refuse the same request again."""
    sleep: Callable[[float], None] = time.sleep
    _client: httpx.Client | None = field(default=None, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)
    _open: BoundedSemaphore = field(init=False, repr=False)
    _reached: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        self._open = BoundedSemaphore(self.concurrency)

    def post(self, body: Mapping[str, Any]) -> Any:
        """The JSON that the server answers; failures are raised as `failure` or `refusal`.

        A wrong key, address or model, which no request can get past, is a UsageError.
        """
        problem = ""
        for attempt in range(self.retries + 1):
            if attempt:
                self.usage.add(retries=1)
            with self._open:
                answer, problem, wait = self._try(body, last_chance=attempt >= _KNOCKS)
            if not problem:
                return answer
            if wait is None:
                raise self.refusal(self._sentence(problem))
            if wait > self.longest_asked_wait:
                raise self.failure(self._sentence(
                    f"{problem}, and it asks to wait {wait:,.0f} seconds; try again later"
                ))  # fmt: skip
            if attempt < self.retries:
                self.sleep(max(wait, min(self.longest_wait, self.backoff * 2**attempt)))
        raise self.failure(self._sentence(problem))

    def _sentence(self, problem: str) -> str:
        return self._without_secrets(f"{self.url} did not answer: {problem}.")

    def _try(self, body: Mapping[str, Any], *, last_chance: bool) -> tuple[Any, str, float | None]:
        """Answer, problem, and the seconds to wait before a retry; None: a retry cannot help."""
        import httpx

        self.usage.add(requests=1)
        try:
            response = self._connected().post(self.url, json=dict(body))
        except httpx.TimeoutException:
            return None, f"no reply within {self.timeout:g} seconds", 0.0
        except (httpx.InvalidURL, httpx.UnsupportedProtocol):
            raise UsageError(
                f"{self.url} is not a URL: write it with http:// or https://."
            ) from None
        except httpx.HTTPError as error:
            if isinstance(error, httpx.ConnectError) and last_chance and not self._reached:
                # A server that has never answered will not begin to: no need to try every row.
                raise UsageError(
                    f"{self.url} cannot be reached: start the server, or check the address."
                ) from None
            return None, f"the connection failed ({type(error).__name__})", 0.0
        self._reached = True
        status = response.status_code
        if status in _PASSING:
            return None, f"status {status}", _retry_after(response.headers.get("Retry-After", ""))
        if status in _HOPELESS:
            said = f"status {status}: {one_line(response.text, 200)}"
            raise UsageError(self._sentence(f"{said}; {_HOPELESS[status]}"))
        if status >= 300:
            return None, f"status {status}: {one_line(response.text, 200)}", None
        try:
            return response.json(), "", None
        except ValueError:
            return None, f"the reply is not JSON: {one_line(response.text, 80)}", 0.0

    def _connected(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                limits = httpx.Limits(
                    max_connections=self.concurrency, max_keepalive_connections=self.concurrency
                )
                self._client = httpx.Client(
                    headers=dict(self.headers), timeout=self.timeout, limits=limits
                )
        return self._client

    def _without_secrets(self, text: str) -> str:
        for secret in self.secrets:
            if secret:
                text = text.replace(secret, "[key]")
        return text


def connect(url: str, chosen: Mapping[str, Any], **more: Any) -> Transport:
    """A transport with the options that a spec chose."""
    return Transport(url, **{name: chosen[name] for name in OPTIONS}, **more)


class Remote:
    """What bots behind a server have in common."""

    transport: Transport

    @property
    def usage(self) -> Usage:
        """Requests so far, with tokens and cost where the server tells them."""
        return self.transport.usage

    @property
    def concurrency(self) -> int:
        """Replies that may be under way at once."""
        return self.transport.concurrency


def _retry_after(value: str) -> float:
    """Seconds that a Retry-After header asks for, given as a number or as a date."""
    value = value.strip()
    if not value:
        return 0.0
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return 0.0
    return max(0.0, moment.timestamp() - time.time())
