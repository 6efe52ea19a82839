"""Closes connections that do not send their request: half of one, held open, costs a place."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0
MOST_OF_ADDRESS = 200


def impatient(
    seconds: float = HEADER_SECONDS, most_of_address: int | None = MOST_OF_ADDRESS
) -> type[H11Protocol]:
    """A protocol for uvicorn: the head of a request arrives within so many seconds, or never.

    An address has at most so many connections; None behind a proxy, where all come from one.
    """
    connections: Counter[str] = Counter()

    class Impatient(H11Protocol):
        _timer: asyncio.TimerHandle | None = None
        _address = "?"

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._address = self.client[0] if self.client else "?"
            connections[self._address] += 1
            if most_of_address is not None and connections[self._address] > most_of_address:
                transport.abort()
                return
            self._wait_for_head()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            connections[self._address] -= 1
            if not connections[self._address]:
                del connections[self._address]
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if self._timer is None and not self._is_answering():
                self._wait_for_head()
            super().data_received(data)
            if self._is_answering():
                self._stop_waiting()

        def _is_answering(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def _wait_for_head(self) -> None:
            self._timer = self.loop.call_later(seconds, self.transport.abort)

        def _stop_waiting(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return Impatient
