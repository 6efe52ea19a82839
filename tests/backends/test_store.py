"""Answers on disk: bounded, shared by processes, and never in the way of a run."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from staytrue.backends.store import FILE, AnswerStore, key_of
from staytrue.core.errors import UsageError

WRITER = """
import sys
from staytrue.backends.store import AnswerStore

store = AnswerStore(sys.argv[1], 1)
for number in range(40):
    store.put_all({f"{sys.argv[2]}-{number}-{n}": [number, n] for n in range(5)})
    assert store.get(f"{sys.argv[2]}-{number}-3") == [number, 3]
"""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which the test moves on."""
    now = [1_000_000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    return now


def test_what_one_object_stores_another_finds(tmp_path: Path) -> None:
    AnswerStore(tmp_path, 1).put_all({"a": {"x": 0.1}, "b": [1, None]})
    answers = AnswerStore(tmp_path, 1).get_all(["a", "b", "c"])
    assert answers == {"a": {"x": 0.1}, "b": [1, None]}
    assert AnswerStore(tmp_path, 1).get("c") is None


def test_more_keys_than_sqlite_takes_at_once_are_found(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path, 10)
    answers = {key_of(n): n for n in range(2_000)}
    store.put_all(answers)
    assert store.get_all(answers) == answers


def test_the_longest_unused_go_first(tmp_path: Path, clock: list[float]) -> None:
    store = AnswerStore(tmp_path, 0.01)  # room for some twenty of these
    for number in range(15):
        store.put(str(number), "x" * 400)
        clock[0] += 100
    assert store.get("0") is not None
    for number in range(15, 30):
        clock[0] += 100
        store.put(str(number), "x" * 400)
    kept = {int(key) for key in store.get_all(map(str, range(30)))}
    assert 0 in kept
    assert 29 in kept
    assert not kept & {1, 2, 3, 4, 5}


@pytest.mark.slow
def test_the_size_is_bounded_however_many_write(tmp_path: Path) -> None:
    stores = [AnswerStore(tmp_path, 0.02) for _ in range(4)]
    for number in range(400):
        stores[number % 4].put(str(number), "x" * 200)
    with sqlite3.connect(tmp_path / FILE) as rows:
        (size,) = rows.execute("SELECT SUM(LENGTH(body)) FROM answers").fetchone()
    assert 0.01 * 2**20 < size < 0.02 * 2**20 * 1.2


def test_processes_may_write_at_the_same_time(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name]) for name in "abc"
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    store = AnswerStore(tmp_path, 1)
    keys = [f"{name}-{number}-{n}" for name in "abc" for number in range(40) for n in range(5)]
    assert len(store.get_all(keys)) == len(keys)


@pytest.mark.parametrize(
    "content", [b"this is no database" * 100, b"SQLite format 3\0" + b"x" * 5000]
)
def test_a_damaged_file_is_ignored_and_named(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FILE).write_bytes(content)
    with caplog.at_level(logging.WARNING):
        store = AnswerStore(tmp_path, 1)
        store.put("a", 1)
        assert store.get("a") is None
    (record,) = caplog.records
    assert "is not used: remove it to start a new one" in record.getMessage()
    assert (tmp_path / FILE).read_bytes() == content


def test_a_file_that_is_damaged_meanwhile_is_ignored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = AnswerStore(tmp_path, 1)
    store.put_all({str(n): "x" * 300 for n in range(200)})
    path = tmp_path / FILE
    path.write_bytes(b"\0" * path.stat().st_size)
    with caplog.at_level(logging.WARNING):
        assert store.get_all(map(str, range(200))) == {}
        store.put("a", 1)
    assert len(caplog.records) == 1


def test_a_damaged_row_is_unknown(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path, 1)
    store.put_all({"a": 1, "b": 2})
    with sqlite3.connect(tmp_path / FILE) as rows:
        rows.execute("UPDATE answers SET body = '{broken' WHERE key = 'a'")
    assert store.get_all(["a", "b"]) == {"b": 2}


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="name another folder"):
        AnswerStore(tmp_path / "file" / "cache", 1)
