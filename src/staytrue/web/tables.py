"""The database: accounts, annotation queues with their judgements, and blind chats."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from typing import Any

from sqlalchemy import JSON, DateTime, Float, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

# PostgreSQL's text holds no NUL, and no database holds half a surrogate pair.
_NOT_HELD = re.compile("[\0\ud800-\udfff]")
_AS_JSON = "\x01"


def now() -> datetime:
    """The time in UTC, without a zone, as every database keeps it."""
    return datetime.now(timezone.utc).replace(tzinfo=None)


class ExactText(TypeDecorator[str]):
    """Text that comes back as it was, whatever it holds: what a column cannot keep stands as JSON.

    An example's id must be the run's own, or a judgement would belong to nothing.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """The text as the database gets it."""
        if value is not None and (value.startswith(_AS_JSON) or _NOT_HELD.search(value)):
            return _AS_JSON + json.dumps(value)
        return value

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """The text as it was given."""
        if value is not None and value.startswith(_AS_JSON):
            return str(json.loads(value[len(_AS_JSON) :]))
        return value


class Base(DeclarativeBase):
    """Base of all tables."""

    type_annotation_map = {dict[str, Any]: JSON, datetime: DateTime}  # noqa: RUF012


OPERATOR, JUDGE = "operator", "judge"


class Account(Base):
    """A person who judges or chats, or runs the site."""

    __tablename__ = "accounts"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    secret_hash: Mapped[str] = mapped_column(String(300))
    """Of the password."""
    role: Mapped[str] = mapped_column(String(20), default=JUDGE, server_default=JUDGE)
    created: Mapped[datetime] = mapped_column(default=now)


class Login(Base):
    """A session; the cookie's value is stored only as a hash."""

    __tablename__ = "logins"

    id: Mapped[int] = mapped_column(primary_key=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"))
    csrf: Mapped[str] = mapped_column(String(64))
    expires: Mapped[datetime]


class Queue(Base):
    """Items of one run to be judged in one way."""

    __tablename__ = "queues"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(120), unique=True)
    kind: Mapped[str] = mapped_column(String(20))
    run: Mapped[str] = mapped_column(String(200))
    annotators: Mapped[int]
    """How many people judge each of the shared items."""
    share: Mapped[float] = mapped_column(Float)
    """The share of items that several people judge; the others get one."""
    seed: Mapped[int]
    created: Mapped[datetime] = mapped_column(default=now)
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    """Who made it; None for the operators'."""


class DeletedQueue(Base):
    """A deleted queue. Its items go for good after a while; its ids are not used again."""

    __tablename__ = "deleted_queues"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(String(120))
    by: Mapped[str] = mapped_column(String(80))
    last_item: Mapped[int]
    deleted: Mapped[datetime] = mapped_column(default=now)


class Item(Base):
    """One thing to judge."""

    __tablename__ = "items"
    __table_args__ = (UniqueConstraint("queue_id", "position", name="items_by_position"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    queue_id: Mapped[int] = mapped_column(ForeignKey("queues.id", ondelete="CASCADE"))
    position: Mapped[int]
    example_id: Mapped[str] = mapped_column(ExactText)
    payload: Mapped[dict[str, Any]]
    """The example as a row, and what the task adds to it."""
    wanted: Mapped[int]
    """How many people shall judge it."""
    taken: Mapped[int] = mapped_column(default=0)
    """How many have, or have opened it."""


class Judgement(Base):
    """What one person said of one item; without `judged` it is only reserved."""

    __tablename__ = "judgements"
    __table_args__ = (
        UniqueConstraint("item_id", "account_id", name="one_judgement_each"),
        Index("judgements_by_account", "account_id", "judged"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id", ondelete="CASCADE"))
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"))
    claimed: Mapped[datetime] = mapped_column(default=now)
    judged: Mapped[datetime | None]
    answers: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """None while reserved, and for a skipped item."""
    skipped: Mapped[str | None] = mapped_column(Text)
    """Why it was skipped."""
    seconds: Mapped[float | None] = mapped_column(Float)


class Chat(Base):
    """A person's talk with a bot whose name they do not see."""

    __tablename__ = "chats"

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"))
    # As migration 0003 leaves it; SQLite does not enforce a length.
    bot: Mapped[str] = mapped_column(Text().with_variant(String(500), "sqlite"))
    seed: Mapped[int]
    practice: Mapped[bool]
    created: Mapped[datetime] = mapped_column(default=now)
    finished: Mapped[datetime | None]
    score: Mapped[float | None] = mapped_column(Float)
    """Consistency from 0 to 1, by the person who talked."""


class ChatTurn(Base):
    """One utterance of a chat."""

    __tablename__ = "chat_turns"
    __table_args__ = (UniqueConstraint("chat_id", "position", name="turns_by_position"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    chat_id: Mapped[int] = mapped_column(ForeignKey("chats.id", ondelete="CASCADE"))
    position: Mapped[int]
    speaker: Mapped[str] = mapped_column(String(10))
    text: Mapped[str] = mapped_column(Text)
    consistent: Mapped[bool | None]
    """The person's label of a bot's utterance, if given."""
    created: Mapped[datetime] = mapped_column(default=now)
