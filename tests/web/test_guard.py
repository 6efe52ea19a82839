"""What the app refuses: other sites, other hosts, too much, too fast."""

from __future__ import annotations

import contextlib
import socket
from types import SimpleNamespace

import httpx
import pytest

from staytrue.core.errors import UsageError
from staytrue.web.guard import RateLimit
from staytrue.web.settings import Settings


def test_off_loopback_without_a_password_is_refused() -> None:
    with pytest.raises(UsageError, match="--token"):
        Settings(database="sqlite://", host="0.0.0.0")
    assert Settings(database="sqlite://", host="0.0.0.0", token="long enough")


def test_every_answer_has_a_strict_policy(app) -> None:
    for path in ("/", "/runs/pets", "/static/app.css", "/v1/runs", "/nothing"):
        answer = app.client.get(path)
        policy = answer.headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_page_has_no_inline_script_or_style(app) -> None:
    import re

    ann = app.person("ann")
    for path in ("/", "/runs/pets", "/try", "/docs", "/judge", "/chat", "/login"):
        page = ann.client.get(path).text
        scripts = re.findall(r"<script([^>]*)>", page)
        assert all("src=" in one or "application/json" in one for one in scripts), path
        assert not re.search(r"<style|\sstyle=|\son\w+=\"", page), path


def test_another_host_name_gets_nothing_without_a_password(app) -> None:
    answer = app.client.get("/v1/runs", headers={"Host": "evil.example"})
    assert answer.status_code == 421


def test_another_site_cannot_post(app) -> None:
    ann = app.person("ann")
    headers = {"X-CSRF-Token": ann.csrf, "Origin": "http://evil.example"}
    body = {"name": "q", "kind": "q2", "run": "pets"}
    assert ann.client.post("/v1/queues", json=body, headers=headers).status_code == 403


def test_a_post_without_the_csrf_token_is_refused(app) -> None:
    ann = app.person("ann")
    body = {"name": "q", "kind": "q2", "run": "pets"}
    assert ann.client.post("/v1/queues", json=body).status_code == 403
    wrong = ann.client.post("/v1/queues", json=body, headers={"X-CSRF-Token": "guess"})
    assert wrong.status_code == 403


def test_a_large_request_is_refused_with_and_without_a_length(make_app) -> None:
    app = make_app(most_bytes=1000)
    body = b'{"examples": [{"response": "' + b"x" * 5000 + b'"}]}'
    told = app.client.post("/v1/score", content=body)
    streamed = app.client.post("/v1/score", content=iter([body[:900], body[900:]]))
    assert told.status_code == streamed.status_code == 413


@pytest.fixture
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bucket fills again, however long the requests take."""
    monkeypatch.setattr("staytrue.web.guard.time", SimpleNamespace(monotonic=lambda: 0.0))


@pytest.mark.usefixtures("stopped_clock")
def test_a_client_that_is_too_fast_must_wait(make_app) -> None:
    app = make_app(requests_per_second=0.5)
    answers = [app.client.get("/v1/tasks") for _ in range(40)]
    assert answers[0].status_code == 200
    assert answers[-1].status_code == 429
    assert answers[-1].headers["Retry-After"] == "1"
    assert app.client.get("/health").status_code == 200


@pytest.mark.usefixtures("stopped_clock")
def test_a_made_up_login_buys_no_requests(make_app) -> None:
    app = make_app(requests_per_second=0.5)
    answers = [
        app.client.get("/v1/tasks", headers={"Authorization": f"Bearer {n}"}).status_code
        for n in range(40)
    ]
    assert answers[-1] == 429


@pytest.mark.usefixtures("stopped_clock")
def test_someone_who_is_logged_in_has_a_share_of_their_own(make_app) -> None:
    app = make_app(requests_per_second=0.5)
    ann = app.person("ann")
    assert ann.client.get("/v1/chats").status_code == 200  # from here on the login is known
    for _ in range(40):
        last = app.new_client().get("/v1/tasks")
    assert last.status_code == 429
    assert ann.client.get("/v1/chats").status_code == 200


def test_a_bucket_fills_again(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 0.0
    monkeypatch.setattr("time.monotonic", lambda: clock)
    limit = RateLimit(1, burst=1)
    assert limit.allows("a")
    assert not limit.allows("a")
    assert limit.allows("b")
    clock = 1.0
    assert limit.allows("a")


def test_with_a_site_password_nothing_is_shown_to_strangers(make_app) -> None:
    app = make_app(token="open sesame", host="0.0.0.0")
    for path in ("/", "/runs/pets", "/try", "/judge"):
        assert app.client.get(path, follow_redirects=False).status_code == 303
    for path in ("/v1/runs", "/metrics", "/v1/queues"):
        assert app.client.get(path).status_code in (303, 401) or path == "/metrics"
    assert app.client.get("/health").status_code == 200
    assert app.client.get("/v1/runs", headers={"Authorization": "Bearer open sesame"}).is_success
    assert app.client.get("/v1/runs", headers={"Authorization": "Bearer nope"}).status_code == 401


def test_an_account_on_a_shared_site_needs_its_password(make_app) -> None:
    app = make_app(token="open sesame")
    refused = app.client.post("/v1/accounts", json={"name": "eve", "password": "a long password"})
    assert refused.status_code == 403
    assert app.person("ann", token="open sesame").client.get("/").status_code == 200


def test_the_login_page_sends_nobody_elsewhere(app) -> None:
    for go in (
        "//evil.example", "https://evil.example", "/\\evil.example", "/\t/evil.example",
        "/\n/evil.example", "/ /evil.example", "/\x00/evil.example",
    ):  # fmt: skip
        assert "evil" not in app.client.get("/login", params={"go": go}).text


def test_a_mistake_of_ours_is_one_sentence(app, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app.site.runs, "lines", lambda: 1 / 0)
    answer = app.client.get("/v1/runs")
    assert answer.status_code == 500
    assert answer.json() == {"error": "The server failed; see its log."}
    assert "content-security-policy" in answer.headers


def test_an_offset_that_no_file_has_is_refused(app) -> None:
    for path in ("examples", "failures"):
        assert app.client.get(f"/v1/runs/pets/{path}?offset={10**24}").status_code == 422
        assert app.client.get(f"/v1/runs/pets/{path}?offset={10**9}").json() == []


def test_a_body_that_never_ends_is_given_up(make_server) -> None:
    server = make_server(body_seconds=0.5)
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as half:
        half.sendall(
            b"POST /v1/score HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            b"Content-Length: 1000\r\n\r\n{"
        )
        assert b" 408 " in half.recv(1000).splitlines()[0]


def test_half_open_requests_are_closed(make_server) -> None:
    server = make_server(header_seconds=0.5)
    halves = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(50)]
    for number, half in enumerate(halves):
        half.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n" if number % 2 else b"")
    for half in halves:
        with contextlib.suppress(ConnectionResetError):
            assert half.recv(100) == b""
        half.close()
    assert httpx.get(f"{server.url}/health").status_code == 200


def test_a_log_holds_no_text_of_a_request(app, caplog, monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"examples": [{"response": "my private words"}]}

    def fail(*_: object) -> None:
        raise ValueError(body["examples"][0]["response"])

    monkeypatch.setattr(app.site.scorer, "submit", fail)
    assert app.client.post("/v1/score", json=body).status_code == 500
    assert "ValueError" in caplog.text
    assert "private" not in caplog.text
