"""Post JSON to a model's server: time-outs, retries with backoff, a limit on open requests.

Chatbots and backends share it. The retries are ours and not a library's: they obey Retry-After, are
counted in the usage, and give up at once on what no retry can help.

Secrets travel in headers only. They are taken out of every message that this module raises,
because some servers send the key back in their error text.
"""

from __future__ import annotations

import email.utils
import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Any, TypeVar

from staytrue.core.errors import (
    ChatbotBusy,
    ChatbotError,
    ChatbotRefusal,
    ChatbotTimeout,
    StaytrueError,
    UsageError,
    one_line,
)
from staytrue.core.retry import Retry
from staytrue.core.usage import Usage

if TYPE_CHECKING:
    import httpx

# What passes by itself, but says nothing about other requests.
_PASSING = frozenset({409, 500})
# The server has no room for any request now.
_BUSY = frozenset({408, 425, 429, 502, 503, 504, 529})
# What every other request would meet as well, and what the user can fix.
_HOPELESS = {401: "check the key", 404: "check the address and the model's name"}

# A server that may just be starting is given so many tries before it counts as not there.
_KNOCKS = 3


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
    _knocks: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        self._open = BoundedSemaphore(self.concurrency)

    @property
    def retry(self) -> Retry:
        """How often a request is repeated."""
        return Retry(self.retries, self.backoff, self.longest_wait)

    def post(self, body: Mapping[str, Any]) -> Any:
        """The JSON that the server answers; failures are raised as `failure` or `refusal`.

        A wrong key, address or model, which no request can get past, is a UsageError.
        """
        for repeats in itertools.count():
            try:
                with self._open:
                    return self._try(body)
            except ChatbotError as error:
                pause = self.retry.pause(repeats, error)
                if pause is None:
                    raise self._final(error) from None
                self.sleep(pause)
                self.usage.add(retries=1)
        raise AssertionError("the policy ends the loop")

    def _final(self, error: ChatbotError) -> StaytrueError:
        kind = self.refusal if isinstance(error, ChatbotRefusal) else self.failure
        return error if isinstance(error, kind) else kind(str(error))

    def _sentence(self, problem: str) -> str:
        return self._without_secrets(f"{self.url} did not answer: {problem}.")

    def _try(self, body: Mapping[str, Any]) -> Any:
        import httpx

        self.usage.add(requests=1)
        try:
            response = self._connected().post(self.url, json=dict(body))
        except httpx.TimeoutException:
            problem = f"no reply within {self.timeout:g} seconds"
            # It still works on this request: to ask again at once makes its queue longer.
            raise ChatbotTimeout(
                self._sentence(problem), min(self.timeout, self.longest_wait)
            ) from None
        except (httpx.InvalidURL, httpx.UnsupportedProtocol):
            raise UsageError(
                f"{self.url} is not a URL: write it with http:// or https://."
            ) from None
        except httpx.HTTPError as error:
            self._knocks += 1
            if (
                isinstance(error, httpx.ConnectError)
                and self._knocks >= _KNOCKS
                and not self._reached
            ):
                # A server that has never answered will not begin to: no need to try every row.
                raise UsageError(
                    f"{self.url} cannot be reached: start the server, or check the address."
                ) from None
            problem = f"the connection failed ({type(error).__name__})"
            raise ChatbotBusy(self._sentence(problem)) from None
        self._reached = True
        return self._read(response)

    def _read(self, response: httpx.Response) -> Any:
        status = response.status_code
        if status in _BUSY:
            wait = _retry_after(response.headers.get("Retry-After", ""))
            if wait > self.longest_asked_wait:
                problem = (
                    f"status {status}, and it asks to wait {wait:,.0f} seconds; try again later"
                )
                raise ChatbotRefusal(self._sentence(problem))
            raise ChatbotBusy(self._sentence(f"status {status}"), wait)
        if status in _PASSING:
            raise ChatbotError(self._sentence(f"status {status}"))
        if status in _HOPELESS:
            problem = f"status {status}: {one_line(response.text, 200)}; {_HOPELESS[status]}"
            raise UsageError(self._sentence(problem))
        if status >= 300:
            problem = f"status {status}: {one_line(response.text, 200)}"
            raise ChatbotRefusal(self._sentence(problem))
        try:
            return response.json()
        except ValueError:
            problem = f"the reply is not JSON: {one_line(response.text, 80)}"
            raise ChatbotError(self._sentence(problem)) from None

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


_Bot = TypeVar("_Bot", bound="Remote")


class Remote:
    """What bots behind a server, which are frozen dataclasses, have in common."""

    transport: Transport

    @property
    def usage(self) -> Usage:
        """Requests so far, with tokens and cost where the server tells them."""
        return self.transport.usage

    @property
    def concurrency(self) -> int:
        """Replies that may be under way at once."""
        return self.transport.concurrency

    @property
    def timeout(self) -> float:
        """Seconds after which a reply is given up."""
        return self.transport.timeout

    @property
    def retry(self) -> Retry:
        """How often a request is repeated."""
        return self.transport.retry

    def once(self: _Bot) -> _Bot:
        """The same bot without repeats, for a caller that repeats by itself."""
        silent = replace(self.transport, retries=0)
        return replace(self, transport=silent)  # type: ignore[type-var]


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
