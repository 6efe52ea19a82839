"""Answers on disk: one SQLite file in a folder that the user names, bounded in size."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from staytrue.core.errors import UsageError

FILE = "answers.sqlite"
_MEGABYTE = 2**20
# A full cache makes this much room at once, so that not every answer has to.
_KEPT = 0.9


def key_of(url: str, body: Mapping[str, Any]) -> str:
    """The key of a whole request: address, model, messages, schema, seed and every option."""
    text = json.dumps([url, body], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


class AnswerStore:
    """Remembers answers by the key of their request; the longest unused go first.

    It holds what the model answered, never the key of the server. Several processes may share it.
    """

    def __init__(self, folder: str | Path, megabytes: float) -> None:
        path = Path(folder) / FILE
        self._most = megabytes * _MEGABYTE
        self._lock = Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._rows = sqlite3.connect(path, timeout=30, check_same_thread=False)
            with self._rows:
                self._rows.execute(
                    "CREATE TABLE IF NOT EXISTS answers "
                    "(key TEXT PRIMARY KEY, body TEXT NOT NULL, used REAL NOT NULL)"
                )
                self._size = self._count()
        except (OSError, sqlite3.Error) as error:
            raise UsageError(
                f"The cache {path} cannot be used ({error}): name another folder, or remove it."
            ) from None

    def get(self, key: str) -> Any:
        """What was answered, or None."""
        with self._lock, self._rows:
            row = self._rows.execute("SELECT body FROM answers WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            self._rows.execute("UPDATE answers SET used = ? WHERE key = ?", (time.time(), key))
        return json.loads(row[0])

    def put(self, key: str, answer: Any) -> None:
        """Remember an answer, and forget old ones when there are too many."""
        body = json.dumps(answer, ensure_ascii=True)
        with self._lock, self._rows:
            self._rows.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (key, body, time.time())
            )
            self._size += len(body)
            if self._size > self._most:
                self._forget()

    def _forget(self) -> None:
        excess = self._count() - _KEPT * self._most  # counted anew: others may write to it
        oldest = self._rows.execute("SELECT key, LENGTH(body) FROM answers ORDER BY used, rowid")
        gone = []
        for key, size in oldest:
            if excess <= 0:
                break
            gone.append((key,))
            excess -= size
        self._rows.executemany("DELETE FROM answers WHERE key = ?", gone)
        self._size = self._count()

    def _count(self) -> int:
        (size,) = self._rows.execute("SELECT COALESCE(SUM(LENGTH(body)), 0) FROM answers")
        return int(size[0])
