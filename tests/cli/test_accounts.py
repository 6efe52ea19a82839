"""`staytrue accounts`: roles, passwords, and one person's data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the web app's extra is not installed")

from click.testing import CliRunner

from staytrue.cli.accounts import command
from staytrue.core.errors import UsageError
from staytrue.core.records import Example
from staytrue.web import accounts, chats, queues
from staytrue.web.database import Database
from staytrue.web.tables import Item


@pytest.fixture
def database(tmp_path: Path):
    made = Database(f"sqlite:///{tmp_path / 'staytrue.db'}")
    yield made
    made.close()


def run(tmp_path: Path, *arguments: str, **more: str) -> str:
    done = CliRunner().invoke(command, ["--data", str(tmp_path), *arguments], **more)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


def test_an_operator_is_named_and_the_only_one_stays(database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        accounts.create_account(session, "ann", "a long password")
    assert run(tmp_path, "operator", "ann") == "ann is an operator.\n"
    assert "its password is" in run(tmp_path, "operator", "bob")
    assert run(tmp_path, "list") == "ann\toperator\nbob\toperator\n"
    run(tmp_path, "judge", "bob")
    with pytest.raises(UsageError, match="only operator"):
        run(tmp_path, "judge", "ann")


def test_a_folder_without_a_server_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no folder .*nowhere: name the server's"):
        run(tmp_path / "nowhere", "list")


def test_a_password_is_reset_and_old_logins_end(database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        account = accounts.create_account(session, "ann", "a long password")
        token = accounts.new_login(session, account).token
    run(tmp_path, "password", "ann", input="another password\nanother password\n")
    with database.transaction() as session:
        assert accounts.visitor(session, token) is None
        with pytest.raises(UsageError, match="is wrong"):
            accounts.log_in(session, "ann", "a long password")
        assert accounts.log_in(session, "ann", "another password")


def test_a_person_gets_their_data_and_is_forgotten(database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        accounts.name_operator(session, "bob")
        ann = accounts.create_account(session, "ann", "a long password")
        queue = queues.create(session, "q", "q2", "run", [Example("e1", "x")], owner_id=ann.id)
        item = queues.next_item(session, queue.id, ann.id, 30)
        assert item is not None
        answers = {"parts": [{"consistent": "consistent"}]}
        queues.judge(session, item.id, ann.id, answers=answers)
        chat = chats.start(session, ann.id, ["scripted:x"], 0)
        chats.add_turns(session, chat.id, 0, "my private words", "x")
        chats.finish(session, chat, 0.5, {}, 1)
        folder = chats.write_run(session, chat, "ann", tmp_path / "chats")
    held = json.loads(run(tmp_path, "export", "ann"))
    assert held["judgements"][0]["answers"] == answers
    assert held["chats"][0]["turns"][0]["text"] == "my private words"
    assert held["queues"] == ["q"]
    assert "scripted" not in json.dumps(held)
    assert "1 judgement, 1 chat." in run(tmp_path, "delete", "ann", "--yes")
    assert not folder.exists()
    with database.transaction() as session:
        assert session.get(Item, item.id).taken == 0
        assert queues.get(session, queue.id).owner_id is None
    with pytest.raises(UsageError, match="no account 'ann'"):
        run(tmp_path, "export", "ann")
    for file in tmp_path.iterdir():
        assert file.is_dir() or b"my private words" not in file.read_bytes(), file
