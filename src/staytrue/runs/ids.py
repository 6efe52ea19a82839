"""Ids as 64-bit keys, and a set of them that stays small: millions of rows fit in memory."""

from __future__ import annotations

import hashlib
from array import array


class KeySet:
    """A set of 64-bit keys in 16 bytes each or less, so that memory stays flat for long files.

    With a million keys the chance that any two collide is below one in ten million.
    """

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * 1024))
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __contains__(self, key: int) -> bool:
        return self._slots[self._slot(key)] == key

    def add(self, key: int) -> None:
        """Add a key; adding it again changes nothing."""
        slot = self._slot(key)
        if self._slots[slot] == key:
            return
        self._slots[slot] = key
        self._size += 1
        if self._size * 4 > len(self._slots) * 3:
            self._grow()

    def _slot(self, key: int) -> int:
        mask = len(self._slots) - 1
        slot = key & mask
        while self._slots[slot] not in (0, key):
            slot = (slot + 1) & mask
        return slot

    def _grow(self) -> None:
        old = self._slots
        self._slots = array("Q", bytes(8 * 2 * len(old)))
        for key in old:
            if key:
                self._slots[self._slot(key)] = key


def key_of(*parts: str) -> int:
    """The key of an id, or of an id and a metric, in a `KeySet`."""
    content = "\0".join(parts).encode("utf-8", "replace")
    digest = hashlib.blake2b(content, digest_size=8).digest()
    return int.from_bytes(digest, "little") or 1  # 0 marks an empty slot
