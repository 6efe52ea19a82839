"""Guessing passwords gets slower with each try, and locks out nobody else."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from staytrue.web.throttle import Throttle

WRONG = {"name": "ann", "password": "a wrong guess"}
RIGHT = {"name": "ann", "password": "a long password"}


def at(app, address: str, **headers: str) -> TestClient:
    return TestClient(app.app, base_url="http://127.0.0.1", client=(address, 1234), headers=headers)


def guess(client: TestClient, times: int) -> list[int]:
    return [client.post("/v1/sessions", json=WRONG).status_code for _ in range(times)]


def test_the_wait_doubles_with_each_wrong_try(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 1000.0
    monkeypatch.setattr("time.monotonic", lambda: clock)
    throttle = Throttle(free=3)
    waits = []
    for _ in range(16):
        throttle.failed("ann")
        waits.append(throttle.wait("ann"))
    assert waits[:7] == [0, 0, 1, 2, 4, 8, 16]
    assert waits[-1] == 900
    assert throttle.wait("bob") == 0
    clock += 900
    assert throttle.wait("ann") == 0


def test_guessing_a_password_must_wait(app) -> None:
    app.person("ann")
    refused = at(app, "6.6.6.6")
    assert guess(refused, 8)[-1] == 429
    answer = refused.post("/v1/sessions", json=RIGHT)
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) >= 1


def test_wrong_tries_elsewhere_do_not_lock_out_the_owner(app) -> None:
    app.person("ann")
    assert at(app, "1.1.1.1").post("/v1/sessions", json=RIGHT).status_code == 201
    for number in range(20):  # from many addresses, until the account itself must wait
        guess(at(app, f"6.6.6.{number}"), 4)
    assert at(app, "7.7.7.7").post("/v1/sessions", json=RIGHT).status_code == 429
    assert at(app, "1.1.1.1").post("/v1/sessions", json=RIGHT).status_code == 201


def test_the_password_of_the_site_cannot_be_guessed_through_the_header(make_app) -> None:
    app = make_app(token="open sesame")
    stranger = at(app, "6.6.6.6")
    answers = [
        stranger.get("/v1/runs", headers={"Authorization": f"Bearer guess {n}"}).status_code
        for n in range(40)
    ]
    assert answers[0] == 401
    assert answers[-1] == 429
    friend = at(app, "1.1.1.1", Authorization="Bearer open sesame")
    assert friend.get("/v1/runs").status_code == 200


def test_a_team_behind_one_address_signs_up_at_once(make_app) -> None:
    app = make_app(token="open sesame")
    for number in range(20):
        app.person(f"person {number}", token="open sesame")


def test_a_forged_forwarded_address_is_not_believed(app) -> None:
    app.person("ann")
    answers = [
        guess(at(app, "127.0.0.1", **{"X-Forwarded-For": f"6.6.6.{n}"}), 1)[0] for n in range(8)
    ]
    assert answers[-1] == 429


def test_a_proxy_is_believed_when_it_was_named(make_app) -> None:
    app = make_app(proxies=("10.0.0.1",))
    app.person("ann")
    for number in range(8):
        forwarded = {"X-Forwarded-For": f"6.6.6.{number}"}
        assert guess(at(app, "10.0.0.1", **forwarded), 1) == [400]
        guess(at(app, "10.0.0.2", **forwarded), 1)
    assert guess(at(app, "10.0.0.2", **{"X-Forwarded-For": "9.9.9.9"}), 1) == [429]
