"""What an operator relies on: backups that restore, upgrades, readiness, no network, no leaks."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from tests.conftest import REPOSITORY
from tests.web.test_chats import talk
from tests.web.test_queues import CONSISTENT, new_queue, work_through

from staytrue.web import accounts
from staytrue.web.database import Database, _engine, migrate

DEPLOY = REPOSITORY / "examples" / "deploy"


def _named(url: str) -> str:
    """The database as the scripts take it."""
    return url.replace("+psycopg", "").removeprefix("sqlite:///")


def test_a_backup_of_a_running_server_is_restored(both, make_app, request, tmp_path) -> None:
    url = both.settings.database
    if "postgres" in url and not shutil.which("pg_dump"):
        pytest.skip("pg_dump is not installed")
    ann = both.person("ann")
    queue = new_queue(ann)
    work_through(ann, queue, CONSISTENT)
    chat = talk(ann)
    ann.post(f"/v1/chats/{chat}/score", {"score": 0.5})
    export = ann.client.get(f"/v1/queues/{queue}/export?form=judgements").text
    backup, data = tmp_path / "backup", tmp_path / "restored"
    subprocess.run([DEPLOY / "backup.sh", _named(url), tmp_path, backup], check=True)
    work_through(ann, new_queue(ann, name="later"), CONSISTENT)  # not in the backup
    restored = f"sqlite:///{tmp_path / 'restored.db'}"
    if "postgres" in url:
        restored = f"{url}_restored"
        engine = create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {restored.rpartition('/')[2]}"))
        engine.dispose()
    subprocess.run([DEPLOY / "restore.sh", backup, _named(restored), data], check=True)
    again = make_app(database=restored, chats_folder=data / "chats")
    login = again.client.post("/v1/sessions", json={"name": "ann", "password": "a long password"})
    headers = {"Authorization": f"Bearer {login.json()['token']}"}
    client = again.new_client()
    path = f"/v1/queues/{queue}/export?form=judgements"
    assert client.get(path, headers=headers).text == export
    assert len(client.get("/v1/queues", headers=headers).json()) == 1
    assert client.get(f"/v1/runs/chat-{chat}", headers=headers).status_code == 200


def test_a_restore_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "there.db").write_text("mine")
    done = subprocess.run(
        [DEPLOY / "restore.sh", tmp_path, tmp_path / "there.db", tmp_path / "data"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert "move it away" in done.stderr
    assert (tmp_path / "there.db").read_text() == "mine"


def test_a_database_from_before_roles_belongs_to_the_operator(make_app, database_url: str) -> None:
    engine = _engine(database_url)
    migrate(engine, "0003")
    with engine.begin() as connection:
        secret = accounts.hash_password("a long password")
        for name in ("ann", "bob"):
            connection.execute(
                text("INSERT INTO accounts (name, secret_hash, created) VALUES (:n, :s, :t)"),
                {"n": name, "s": secret, "t": "2026-01-01 00:00:00"},
            )
        connection.execute(text(
            "INSERT INTO queues (name, kind, run, annotators, share, seed, created) "
            "VALUES ('old', 'q2', 'pets', 1, 1, 0, '2026-01-01 00:00:00')"
        ))  # fmt: skip
    engine.dispose()
    app = make_app(database=database_url)

    def status(name: str) -> int:
        client = app.new_client()
        body = {"name": name, "password": "a long password"}
        token = client.post("/v1/sessions", json=body).json()["token"]
        client.cookies.clear()
        headers = {"Authorization": f"Bearer {token}"}
        return client.get("/v1/queues/1/export", headers=headers).status_code

    assert (status("ann"), status("bob")) == (403, 403)
    with app.site.database.transaction() as session:
        assert not accounts.has_operator(session)
        assert accounts.name_operator(session, "ann") is None
    assert (status("ann"), status("bob")) == (200, 403)
    # A newcomer is no operator: only the first account of an empty server is.
    assert app.person("eve").client.get("/v1/chats/results").status_code == 403


def test_ready_is_apart_from_alive(app) -> None:
    assert app.client.get("/health").status_code == 200
    waiting = app.client.get("/ready")
    assert waiting.status_code == 503
    assert int(waiting.headers["Retry-After"]) >= 1
    assert waiting.json() == {"error": "The models are being loaded."}
    app.site.scorer._ready.set()
    assert app.client.get("/ready").json() == {"status": "ready"}


def test_the_service_runs_unprivileged_and_trusts_its_proxy_only() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DEPLOY / "staytrue.service")
    service = unit["Service"]
    assert service["User"] not in ("", "root")
    assert service["NoNewPrivileges"] == "true"
    command = service["ExecStart"].replace("\\", " ")
    options = set(re.findall(r"--[a-z]+", command))
    from staytrue.cli.serve import command as serve

    assert options <= {option for one in serve.params for option in one.opts}
    assert "--proxy 127.0.0.1" in command
    assert "ssl_certificate" in (DEPLOY / "nginx.conf").read_text()


_NO_NETWORK = """
import sys
def forbid(event, arguments):
    # urllib3, which spaCy imports, binds to loopback once to learn whether there is IPv6.
    if event == "socket.bind" and arguments[1][:2] == ("::1", 0):
        return
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.bind"):
        raise SystemExit(f"a connection was opened: {event} {arguments}")
sys.addaudithook(forbid)
from staytrue.core.records import Example
from staytrue.plugins.registry import load_metric
for name in ("consistency", "q2", "nli", "begin"):
    metric = load_metric(name, backend="embedded")
    metric.judge([Example("1", "Coffee comes from Brazil.", "Coffee comes from Yemen.")])
print("judged")
"""


@pytest.mark.slow
def test_the_embedded_backend_opens_no_connection() -> None:
    done = subprocess.run([sys.executable, "-c", _NO_NETWORK], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("judged\n", 0), done.stderr


def test_the_block_of_the_network_would_notice() -> None:
    opens = "import socket; socket.create_connection(('127.0.0.1', 9))"
    code = _NO_NETWORK.split("from staytrue")[0] + opens
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "a connection was opened" in done.stderr


def test_a_database_error_tells_no_values(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'x.db'}")
    with pytest.raises(Exception, match="no such table") as error, database.reading() as session:
        session.execute(text("SELECT * FROM no_table WHERE x = :x"), {"x": "private words"})
    assert "private words" not in str(error.value)
    database.close()
