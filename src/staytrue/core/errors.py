"""Every exception that is raised on purpose; each message is one sentence that says what to do.

StaytrueError
├── UsageError        a wrong command, option or name           (exit code 2)
├── DataError         a row or file that cannot be read
├── MissingExtra      an optional dependency is not installed
├── ModelError        a model file is missing, damaged or misused
├── ModelAnswerError  a model gave no usable answer for one row; other rows go on
│   └── ModelRefusal      … and would refuse the same request again
├── SpendingLimit     the limit on requests or money is reached
├── ChatbotError      a chatbot failed to reply
│   ├── ChatbotRefusal    … and would fail again if it were asked the same
│   └── ChatbotBusy       … and so would any other request made now
│       └── ChatbotTimeout    … because it is still at work
└── RunError          a run folder cannot be written, resumed or compared
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# C0 and C1 controls except tab and newline, bidirectional overrides, zero-width characters.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


class StaytrueError(Exception):
    """Base of all; the command line prints its message without a traceback."""


class UsageError(StaytrueError):
    """A wrong command, option or name."""


class DataError(StaytrueError):
    """A row or file that cannot be read."""


class MissingExtra(StaytrueError):
    """An optional dependency is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        from staytrue.core.installing import install_line

        super().__init__(f"{purpose} needs an extra: run  {install_line(extra)}  first.")


class ModelError(StaytrueError):
    """A model file is missing, damaged or misused."""


class ModelAnswerError(StaytrueError):
    """A model gave no usable answer for one row; other rows go on."""


class ModelRefusal(ModelAnswerError):
    """A model's server refused a request, and would refuse the same one again."""


class SpendingLimit(StaytrueError):
    """The limit on requests or money is reached."""


class ChatbotError(StaytrueError):
    """A chatbot failed to reply."""


class ChatbotRefusal(ChatbotError):
    """A chatbot failed to reply, and would fail again if it were asked the same."""


class ChatbotBusy(ChatbotError):
    """A chatbot cannot reply now, whatever it is asked; `wait` says for how many seconds."""

    def __init__(self, message: str, wait: float = 0.0) -> None:
        super().__init__(message)
        self.wait = wait


class ChatbotTimeout(ChatbotBusy):
    """A chatbot did not reply in time, and is probably still at work on the request."""


class RunError(StaytrueError):
    """A run folder cannot be written, resumed or compared."""


# How messages show names and texts that others wrote.


def printable(text: str) -> str:
    """The text without characters that could move a terminal's cursor or hide other text."""
    return _CONTROL.sub("", text)


def one_line(text: str, width: int = 100) -> str:
    """The text for a table cell or message: printable, on one line, cut with an ellipsis."""
    line = " ".join(printable(text).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def nearest_name(name: str, known: Iterable[str]) -> str:
    """The known name that was probably meant; empty if none is near."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(known), 1)), "")
