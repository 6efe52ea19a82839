"""What is left of deleted queues."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "deleted_queues",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("by", sa.String(80), nullable=False),
        sa.Column("last_item", sa.Integer, nullable=False),
        sa.Column("deleted", sa.DateTime, nullable=False),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("deleted_queues")
