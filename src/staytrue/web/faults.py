"""Errors that have their own HTTP status; every other StaytrueError is a 400."""

from __future__ import annotations

from staytrue.core.errors import StaytrueError, UsageError


class NotFound(UsageError):
    """There is no such thing (404)."""


class NotLoggedIn(UsageError):
    """The page wants an account (401)."""


class NotAllowed(UsageError):
    """The request is not allowed (403)."""


class TooFast(UsageError):
    """The client must wait (429)."""


def status(error: StaytrueError) -> int:
    """The HTTP status of an error."""
    return _STATUSES.get(type(error), 400)


_STATUSES: dict[type[StaytrueError], int] = {
    NotFound: 404, NotLoggedIn: 401, NotAllowed: 403, TooFast: 429,
}  # fmt: skip
