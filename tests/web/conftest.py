"""A running app on SQLite and on a real PostgreSQL, clients for it, and a headless browser."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("fastapi", reason="the web app's extra is not installed")

from fastapi.testclient import TestClient

from staytrue.core.records import Example, Probe, Turn
from staytrue.runs.runner import evaluate
from staytrue.web import accounts
from staytrue.web.app import create_app
from staytrue.web.connections import impatient
from staytrue.web.settings import Settings

PASSWORD = "a long password"
BOTS = ("scripted:I live in Oslo.|I have two dogs.", "scripted:I live in Rome.|I have no dogs.")


# PostgreSQL


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def free_port() -> int:
    """A port that nobody listens on."""
    return _free_port()


def _postgres_programs() -> Path | None:
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return programs[-1].parent if programs else Path(on_path).parent if on_path else None


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A PostgreSQL server on loopback, started for the tests; gives its URL without a name."""
    if url := os.environ.get("STAYTRUE_TEST_POSTGRES"):
        yield url
        return
    programs = _postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    folder = Path(tempfile.mkdtemp(prefix="staytrue-postgres-"))
    as_user: dict[str, Any] = {}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        shutil.chown(folder, "postgres", "postgres")
        as_user = {"user": "postgres", "group": "postgres"}
    port = _free_port()
    quiet: dict[str, Any] = {"check": True, "capture_output": True, "cwd": folder, **as_user}
    data = folder / "data"
    subprocess.run(
        [programs / "initdb", "-D", data, "-U", "staytrue", "-A", "trust", "-E", "UTF8"], **quiet
    )
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    control = [programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log"]
    subprocess.run([*control, "-o", options, "start"], **quiet)
    try:
        yield f"postgresql+psycopg://staytrue@127.0.0.1:{port}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], **quiet)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """A fresh database on the server."""
    from sqlalchemy import create_engine, text

    name = f"test_{time.monotonic_ns()}"
    engine = create_engine(f"{postgres_server}/postgres", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield f"{postgres_server}/{name}"
    with engine.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    engine.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The database of a test that must hold on both."""
    if request.param == "postgres":
        url: str = request.getfixturevalue("postgres_url")
        return url
    return f"sqlite:///{tmp_path / 'judgements.db'}"


# Passwords


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Hashing is slow on purpose, and most tests begin with an account."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(accounts._COST, "n", 2**4)
        yield


# Runs


def examples(count: int = 6) -> list[Example]:
    """Examples that every kind of queue can use."""
    return [
        Example(
            f"e{n}", f"i have {n} dogs . they are nice .", f"I have {n} dogs.",
            (Turn("user", "tell me about your pets"),),
            probe=Probe("how many dogs do you have?", str(n), f"i have {n} dogs", "wh", "persona"),
            consistent=n % 2 == 0,
        )
        for n in range(count)
    ]  # fmt: skip


@pytest.fixture(scope="session")
def pets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run, scored with the overlap metric."""
    folder = tmp_path_factory.mktemp("runs") / "pets"
    evaluate(examples(), ["overlap"], out=folder)
    return folder


# Apps


MakeSettings = Callable[..., Settings]


@pytest.fixture
def make_settings(tmp_path: Path, pets: Path) -> MakeSettings:
    """Settings of an app over the run `pets`."""

    def make(**more: Any) -> Settings:
        values: dict[str, Any] = {
            "database": f"sqlite:///{tmp_path / 'judgements.db'}", "runs": (pets,),
            "metrics": ("overlap",), "bots": BOTS, "practice": 1, "turns": 2,
            "chats_folder": tmp_path / "chats",
        }  # fmt: skip
        return Settings(**(values | more))

    return make


@dataclass
class Person:
    """Someone with an account, and a client that is logged in as them."""

    client: httpx.Client
    name: str
    csrf: str

    def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        answer = self.client.post(path, json=body, headers={"X-CSRF-Token": self.csrf})
        assert answer.status_code == status, answer.text
        return answer.json()

    def delete(self, path: str, status: int = 200, **query: str) -> Any:
        headers = {"X-CSRF-Token": self.csrf}
        answer = self.client.delete(path, params=query, headers=headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    def get(self, path: str, status: int = 200) -> Any:
        answer = self.client.get(path)
        assert answer.status_code == status, answer.text
        return answer.json()


class App:
    """An app in this process."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.app = create_app(settings)
        self.site = self.app.state.site
        self.client = self.new_client()

    def new_client(self) -> TestClient:
        return TestClient(self.app, base_url="http://127.0.0.1", raise_server_exceptions=False)

    def person(self, name: str, **more: str) -> Person:
        client = self.new_client()
        made = client.post("/v1/accounts", json={"name": name, "password": PASSWORD, **more})
        assert made.status_code == 201, made.text
        return Person(client, name, made.json()["csrf"])


MakeApp = Callable[..., App]


@pytest.fixture
def make_app(make_settings: MakeSettings) -> Iterator[MakeApp]:
    """Apps that are closed after the test."""
    made: list[App] = []

    def make(**more: Any) -> App:
        made.append(App(make_settings(**more)))
        return made[-1]

    yield make
    for app in made:
        app.site.close()


@pytest.fixture
def app(make_app: MakeApp) -> App:
    """An app on SQLite."""
    return make_app()


@pytest.fixture
def both(make_app: MakeApp, database_url: str) -> App:
    """An app on each database in turn."""
    return make_app(database=database_url)


# A real server and a real browser


class Server:
    """The app behind a real socket, in a thread of its own."""

    def __init__(self, settings: Settings, header_seconds: float = 10.0) -> None:
        import uvicorn

        self.app = create_app(settings)
        self.port = _free_port()
        config = uvicorn.Config(
            self.app, host="127.0.0.1", port=self.port, log_level="warning",
            http=impatient(header_seconds),
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        deadline = time.monotonic() + 20
        while not self._server.started:
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.02)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=20)


@pytest.fixture
def make_server(make_settings: MakeSettings) -> Iterator[Callable[..., Server]]:
    """Servers that are stopped after the test."""
    made: list[Server] = []

    def make(header_seconds: float = 10.0, **more: Any) -> Server:
        made.append(Server(make_settings(**more), header_seconds))
        return made[-1]

    yield make
    for server in made:
        server.stop()


@pytest.fixture(scope="session")
def shots() -> Path:
    """Where the browser tests keep their pictures, to be looked at."""
    folder = Path(os.environ.get("STAYTRUE_SHOTS", tempfile.gettempdir() + "/staytrue-shots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
