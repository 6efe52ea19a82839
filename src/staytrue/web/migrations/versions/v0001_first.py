"""Accounts, queues with items and judgements, chats."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _owner(column: str, table: str) -> sa.Column[int]:
    return sa.Column(
        column, sa.Integer, sa.ForeignKey(f"{table}.id", ondelete="CASCADE"), nullable=False
    )


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(80), nullable=False, unique=True),
        sa.Column("secret_hash", sa.String(300), nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
    )
    op.create_table(
        "logins",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
        _owner("account_id", "accounts"),
        sa.Column("csrf", sa.String(64), nullable=False),
        sa.Column("expires", sa.DateTime, nullable=False),
    )
    op.create_table(
        "queues",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(120), nullable=False, unique=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("run", sa.String(200), nullable=False),
        sa.Column("annotators", sa.Integer, nullable=False),
        sa.Column("share", sa.Float, nullable=False),
        sa.Column("seed", sa.Integer, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
    )
    op.create_table(
        "items",
        sa.Column("id", sa.Integer, primary_key=True),
        _owner("queue_id", "queues"),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("example_id", sa.Text, nullable=False),
        sa.Column("payload", sa.JSON, nullable=False),
        sa.Column("wanted", sa.Integer, nullable=False),
        sa.Column("taken", sa.Integer, nullable=False),
        sa.UniqueConstraint("queue_id", "position", name="items_by_position"),
    )
    op.create_table(
        "judgements",
        sa.Column("id", sa.Integer, primary_key=True),
        _owner("item_id", "items"),
        _owner("account_id", "accounts"),
        sa.Column("claimed", sa.DateTime, nullable=False),
        sa.Column("judged", sa.DateTime),
        sa.Column("answers", sa.JSON),
        sa.Column("skipped", sa.Text),
        sa.Column("seconds", sa.Float),
        sa.UniqueConstraint("item_id", "account_id", name="one_judgement_each"),
    )
    op.create_index("judgements_by_account", "judgements", ["account_id", "judged"])
    op.create_table(
        "chats",
        sa.Column("id", sa.Integer, primary_key=True),
        _owner("account_id", "accounts"),
        sa.Column("bot", sa.String(500), nullable=False),
        sa.Column("seed", sa.Integer, nullable=False),
        sa.Column("practice", sa.Boolean, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
        sa.Column("finished", sa.DateTime),
        sa.Column("score", sa.Float),
    )
    op.create_table(
        "chat_turns",
        sa.Column("id", sa.Integer, primary_key=True),
        _owner("chat_id", "chats"),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("speaker", sa.String(10), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("consistent", sa.Boolean),
        sa.Column("created", sa.DateTime, nullable=False),
        sa.UniqueConstraint("chat_id", "position", name="turns_by_position"),
    )


def downgrade() -> None:
    """Drop the tables, those that point to others first."""
    for table in ("chat_turns", "chats", "judgements", "items", "queues", "logins", "accounts"):
        op.drop_table(table)
