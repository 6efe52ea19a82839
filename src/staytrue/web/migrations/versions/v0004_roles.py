"""Roles of accounts, and queues that belong to whoever made them.

Accounts that are there already become judges and queues nobody's, which means the operators': who
is one is said with `staytrue accounts operator NAME` or `staytrue serve --operator NAME`.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.add_column(
        "accounts", sa.Column("role", sa.String(20), nullable=False, server_default="judge")
    )
    # Alembic adds a foreign key in a second step, which SQLite does not have.
    op.execute("ALTER TABLE queues ADD COLUMN owner_id INTEGER REFERENCES accounts (id)")


def downgrade() -> None:
    """Drop the columns."""
    if op.get_bind().dialect.name == "sqlite":
        # SQLite drops no column that refers to another table; without values it does nothing.
        op.execute("UPDATE queues SET owner_id = NULL")
    else:
        op.drop_column("queues", "owner_id")
    op.drop_column("accounts", "role")
