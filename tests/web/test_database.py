"""The database: migrations fit the tables, and what was acknowledged survives a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from staytrue.core.errors import RunError, UsageError
from staytrue.web.database import Database
from staytrue.web.tables import Base


def test_the_migrations_make_exactly_the_tables(database_url: str) -> None:
    database = Database(database_url)
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    database.close()


def test_opening_a_database_again_changes_nothing(database_url: str) -> None:
    Database(database_url).close()
    Database(database_url).close()


def test_sqlite_writes_ahead_and_to_the_disk(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'x.db'}")
    with database.engine.connect() as connection:
        settings = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    assert settings == ["wal", 2, 1]
    database.close()


@pytest.mark.parametrize("url", ["nonsense", "mysterydb://host/name"])
def test_a_url_that_means_nothing_is_explained(url: str) -> None:
    with pytest.raises(UsageError, match="sqlite:///FILE"):
        Database(url)


def test_a_database_that_cannot_be_opened_is_explained(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="cannot be opened"):
        Database(f"sqlite:///{tmp_path / 'no' / 'such' / 'folder' / 'x.db'}")


def test_a_file_that_is_no_database_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("Buy milk. " * 500)
    with pytest.raises(RunError, match=r"notes\.db is not a database of staytrue .*--database"):
        Database(f"sqlite:///{path}")
    assert path.read_text() == "Buy milk. " * 500


def test_a_database_of_a_newer_version_is_explained(database_url: str) -> None:
    database = Database(database_url)
    with database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    database.close()
    with pytest.raises(RunError, match="made by a newer version of staytrue") as raised:
        Database(database_url)
    password = database.engine.url.password
    assert password is None or password not in str(raised.value)


def _serve(folder: Path, run: Path, port: int, database: str) -> subprocess.Popen[bytes]:
    arguments = [
        "serve", run, "--port", port, "--data", folder, "--database", database,
        "--metric", "overlap",
    ]  # fmt: skip
    started = subprocess.Popen(
        [sys.executable, "-m", "staytrue", *map(str, arguments)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    for _ in range(200):
        try:
            httpx.get(f"http://127.0.0.1:{port}/health")
            return started
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("the server did not start")


@pytest.mark.slow
def test_an_acknowledged_judgement_survives_a_kill(
    tmp_path: Path, pets: Path, free_port: int, database_url: str
) -> None:
    port = free_port
    server = _serve(tmp_path, pets, port, database_url)
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        made = client.post(
            "/v1/accounts", json={"name": "ann", "password": "a long password"}
        ).json()
        client.headers["Authorization"] = f"Bearer {made['token']}"
        queue = client.post("/v1/queues", json={"name": "q", "kind": "q2", "run": "pets"}).json()
        item = client.post(f"/v1/queues/{queue['id']}/next").json()["item"]
        answers = {"parts": [{"consistent": "consistent"}]}
        path = f"/v1/items/{item['id']}/judgement"
        assert client.post(path, json={"answers": answers}).status_code == 200
        os.kill(server.pid, signal.SIGKILL)
        server.wait()
    server = _serve(tmp_path, pets, port, database_url)
    try:
        headers = {"Authorization": f"Bearer {made['token']}"}
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers) as client:
            progress = client.get("/v1/queues").json()[0]["progress"]
            assert (progress["judged"], progress["mine"]) == (1, 1)
    finally:
        server.terminate()
        server.wait()
