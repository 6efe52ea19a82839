"""Answers on disk: one SQLite file in a folder that the user names, bounded in size."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from staytrue.core.batches import batched
from staytrue.core.errors import UsageError

FILE = "answers.sqlite"
_MEGABYTE = 2**20
# A full cache makes this much room at once, so that not every answer has to.
_KEPT = 0.9
# Other processes write to the file, too: its size is taken anew after this share of it.
_RECOUNTED = 0.05
# What SQLite needs for a row and its key beside the texts.
_ROW = 50
# An answer that was used within this many seconds need not be marked as used again.
_FRESH = 60.0
_AT_ONCE = 500  # SQLite's own limit on variables was once 999

_log = logging.getLogger("staytrue.cache")


def key_of(*content: Any) -> str:
    """The key of all that decides an answer, such as address, model, messages and options."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


class AnswerStore:
    """Remembers answers by their keys; the longest unused go first.

    It holds what the model answered, never the key of a server. Several processes may share it. A
    file that turns out to be damaged is left alone: nothing is found in it, and nothing stored.
    """

    def __init__(self, folder: str | Path, megabytes: float) -> None:
        self._path = Path(folder) / FILE
        self._most = megabytes * _MEGABYTE
        self._added = self._size = 0
        self._lock = Lock()
        self._rows: sqlite3.Connection | None = None
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            rows = sqlite3.connect(self._path, timeout=30, check_same_thread=False)
            with rows:
                rows.execute(
                    "CREATE TABLE IF NOT EXISTS answers "
                    "(key TEXT PRIMARY KEY, body TEXT NOT NULL, used REAL NOT NULL)"
                )
                self._size = _size(rows)
            self._rows = rows
        except (OSError, sqlite3.OperationalError) as error:
            raise UsageError(
                f"The cache {self._path} cannot be used ({error}): "
                "name another folder, or remove it."
            ) from None
        except sqlite3.DatabaseError as error:
            self._give_up(error)

    def get(self, key: str) -> Any:
        """What was answered, or None."""
        return self.get_all([key]).get(key)

    def put(self, key: str, answer: Any) -> None:
        """Remember an answer, and forget old ones when there are too many."""
        self.put_all({key: answer})

    def get_all(self, keys: Iterable[str]) -> dict[str, Any]:
        """Those of the answers that are known, by their keys."""
        answers: dict[str, Any] = {}
        now = time.time()
        with self._lock:
            try:
                for some in batched(keys, _AT_ONCE):
                    answers.update(self._read(some, now))
            except sqlite3.Error as error:
                self._give_up(error)
        return answers

    def put_all(self, answers: Mapping[str, Any]) -> None:
        """Remember several answers in one step."""
        now = time.time()
        rows = [(key, json.dumps(answer), now) for key, answer in answers.items()]
        with self._lock:
            if self._rows is None or not rows:
                return
            try:
                with self._rows:
                    self._rows.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", rows)
                    self._added += sum(len(key) + len(body) + _ROW for key, body, _ in rows)
                    self._keep_small(self._rows)
            except sqlite3.Error as error:
                self._give_up(error)

    def _read(self, keys: list[str], now: float) -> dict[str, Any]:
        if self._rows is None:
            return {}
        places = ",".join("?" * len(keys))
        rows = self._rows.execute(
            f"SELECT key, body, used FROM answers WHERE key IN ({places})", keys
        ).fetchall()
        stale = [(now, key) for key, _, used in rows if used < now - _FRESH]
        if stale:
            with self._rows:
                self._rows.executemany("UPDATE answers SET used = ? WHERE key = ?", stale)
        answers = {}
        for key, body, _ in rows:
            try:
                answers[key] = json.loads(body)
            except ValueError:
                continue
        return answers

    def _keep_small(self, rows: sqlite3.Connection) -> None:
        if self._size + self._added <= self._most and self._added <= _RECOUNTED * self._most:
            return
        self._added, self._size = 0, _size(rows)
        excess = self._size - self._most
        if excess <= 0:
            return
        excess += (1 - _KEPT) * self._most
        gone = []
        for key, size in rows.execute(
            "SELECT key, LENGTH(key) + LENGTH(body) FROM answers ORDER BY used, rowid"
        ):
            if excess <= 0:
                break
            gone.append((key,))
            excess -= size + _ROW
        rows.executemany("DELETE FROM answers WHERE key = ?", gone)
        self._size = _size(rows)

    def _give_up(self, error: sqlite3.Error) -> None:
        """Go on without the file: a cache saves time, and no result depends on it."""
        self._rows = None
        _log.warning(
            "The cache %s cannot be read (%s) and is not used: remove it to start a new one.",
            self._path, error,
        )  # fmt: skip


def _size(rows: sqlite3.Connection) -> int:
    """Bytes of all answers and keys."""
    (size,) = rows.execute(
        "SELECT COALESCE(SUM(LENGTH(key) + LENGTH(body)), 0) + ? * COUNT(*) FROM answers", (_ROW,)
    ).fetchone()
    return int(size)
