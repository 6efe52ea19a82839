"""Errors that have their own HTTP status; every other StaytrueError is a 400."""

from __future__ import annotations

import math

from staytrue.core.errors import StaytrueError, UsageError


class NotFound(UsageError):
    """There is no such thing (404)."""


class NotLoggedIn(UsageError):
    """The page wants an account (401)."""


class NotAllowed(UsageError):
    """The request is not allowed (403)."""


class WrongPassword(UsageError):
    """Nobody has this name and password (400)."""


class TooMuch(UsageError):
    """The request is larger than one may be (413)."""


class Wait(UsageError):
    """The same request may be answered later: base of the two below."""

    def __init__(self, sentence: str, seconds: float) -> None:
        super().__init__(sentence)
        self.retry_after = max(1, math.ceil(seconds))
        """Seconds to wait, for the header `Retry-After`."""


class TooFast(Wait):
    """The client asks too often (429)."""


class Busy(Wait):
    """The server has no room now (503)."""


def status(error: StaytrueError) -> int:
    """The HTTP status of an error."""
    return _STATUSES.get(type(error), 400)


_STATUSES: dict[type[StaytrueError], int] = {
    NotFound: 404, NotLoggedIn: 401, NotAllowed: 403, TooMuch: 413, TooFast: 429, Busy: 503,
}  # fmt: skip
