"""Slows down whoever guesses passwords: each wrong try makes the next one wait longer."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from staytrue.web.faults import TooFast

_MOST_KEYS = 50_000
_LONGEST = 900.0
_FORGOTTEN = 24 * 3_600.0


@dataclass
class _Tries:
    wrong: int = 0
    until: float = 0.0
    last: float = 0.0


class Throttle:
    """Counts wrong tries by key. After the first few, the wait doubles with each, up to 15 min."""

    def __init__(self, free: int) -> None:
        """So many wrong tries cost nothing: people mistype."""
        self._free = free
        self._tries: OrderedDict[str, _Tries] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, key: str) -> float:
        """Seconds until this key may try again."""
        with self._lock:
            tries = self._tries.get(key)
            return max(0.0, tries.until - time.monotonic()) if tries else 0.0

    def failed(self, key: str) -> None:
        """A try was wrong."""
        now = time.monotonic()
        with self._lock:
            tries = self._tries.pop(key, None) or _Tries()
            if now - tries.last > _FORGOTTEN:
                tries.wrong = 0
            tries.wrong += 1
            tries.last = now
            if tries.wrong >= self._free:
                tries.until = now + min(_LONGEST, 2.0 ** min(tries.wrong - self._free, 20))
            self._tries[key] = tries
            while len(self._tries) > _MOST_KEYS:
                self._tries.popitem(last=False)

    def forgive(self, key: str) -> None:
        """A try was right: start again."""
        with self._lock:
            self._tries.pop(key, None)


class Guesses:
    """Who may try a password now, by account and by address.

    Wrong tries count for the account at that address, for the address and for the account. The
    last of these never locks out its owner: an address from which they have logged in before is
    not asked about it.
    """

    def __init__(self) -> None:
        self._pair = Throttle(free=5)
        self._address = Throttle(free=30)  # a whole team may sit behind one
        self._account = Throttle(free=50)
        self._at_home: OrderedDict[str, None] = OrderedDict()

    def check(self, account: str, address: str) -> None:
        """Refuse if a try must wait; whether it is right is not looked at then."""
        waits = [throttle.wait(key) for throttle, key in self._keys(account, address)]
        if max(waits) > 0:
            raise TooFast(
                f"Too many failed attempts: wait {_spoken(max(waits))} and try again.", max(waits)
            )

    def failed(self, account: str, address: str) -> None:
        """The password was wrong."""
        for throttle, key in self._keys(account, address):
            throttle.failed(key)

    def succeeded(self, account: str, address: str) -> None:
        """The password was right."""
        pair = f"{account}\n{address}"
        self._pair.forgive(pair)
        self._at_home[pair] = None
        while len(self._at_home) > _MOST_KEYS:
            self._at_home.popitem(last=False)

    def _keys(self, account: str, address: str) -> Sequence[tuple[Throttle, str]]:
        pair = f"{account}\n{address}"
        if pair in self._at_home:
            return ((self._pair, pair),)
        keys = [(self._pair, pair), (self._address, address)]
        # The site's password has no account: locking it for all would lock out everybody.
        return [*keys, (self._account, account)] if account else keys


def _spoken(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds > 90 else f"{max(1, seconds):.0f} seconds"
