"""Accounts: passwords are hashed, logins end, guesses are slowed down."""

from __future__ import annotations

from sqlalchemy import select

from staytrue.web.accounts import hash_password, password_fits
from staytrue.web.guard import COOKIE
from staytrue.web.tables import Account, Login, now


def test_a_password_is_known_only_by_its_hash() -> None:
    stored = hash_password("open sesame")
    assert "open sesame" not in stored
    assert stored != hash_password("open sesame")
    assert password_fits("open sesame", stored)
    assert not password_fits("open sesam", stored)


def test_an_account_logs_in_and_out(both) -> None:
    ann = both.person("ann")
    assert ann.client.get("/judge").status_code == 200
    answer = ann.client.delete("/v1/sessions", headers={"X-CSRF-Token": ann.csrf})
    assert answer.status_code == 200
    assert ann.client.get("/judge", follow_redirects=False).status_code == 303


def test_neither_password_nor_token_is_stored(both) -> None:
    ann = both.person("ann")
    with both.site.database.reading() as session:
        account = session.scalar(select(Account))
        login = session.scalar(select(Login))
    assert "a long password" not in account.secret_hash
    assert ann.client.cookies[COOKIE] not in login.token_hash


def test_a_name_is_taken_once(both) -> None:
    both.person("ann")
    again = both.client.post("/v1/accounts", json={"name": "ann", "password": "another one"})
    assert again.status_code == 400
    assert "already" in again.json()["error"]


def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(app) -> None:
    app.person("ann")
    wrong = app.client.post("/v1/sessions", json={"name": "ann", "password": "wrong one"})
    unknown = app.client.post("/v1/sessions", json={"name": "bob", "password": "wrong one"})
    assert wrong.status_code == unknown.status_code == 400
    assert wrong.json() == unknown.json()


def test_an_old_login_is_no_longer_good(app) -> None:
    ann = app.person("ann")
    with app.site.database.transaction() as session:
        session.scalar(select(Login)).expires = now()
    assert ann.client.get("/judge", follow_redirects=False).status_code == 303


def test_a_bearer_token_works_without_a_cookie(app) -> None:
    app.person("ann")
    login = app.client.post("/v1/sessions", json={"name": "ann", "password": "a long password"})
    other = app.new_client()
    headers = {"Authorization": f"Bearer {login.json()['token']}"}
    body = {"name": "q", "kind": "q2", "run": "pets"}
    assert other.post("/v1/queues", json=body).status_code == 401
    assert other.post("/v1/queues", json=body, headers=headers).status_code == 201
