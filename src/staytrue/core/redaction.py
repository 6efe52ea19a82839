"""Keep secrets out of manifests, logs and reports."""

from __future__ import annotations

import os
import re

HIDDEN = "***"
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_SHORTEST = 6  # shorter values would hide ordinary words
_USER_IN_URL = re.compile(r"(?<=://)[^/\s@]+(?=@)")


def redact(text: str) -> str:
    """The text without values of secret environment variables and without logins in URLs."""
    values = {
        value
        for name, value in os.environ.items()
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST
    }
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    return _USER_IN_URL.sub(HIDDEN, text)
