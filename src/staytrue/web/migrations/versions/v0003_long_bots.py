"""Specs of chatbots of any length: one with a long system prompt has more than 500 characters.

Only PostgreSQL enforces a limit. SQLite would copy the table and drop the old one, which would
delete the turns that refer to it: there the column stays as it is declared.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def _change(type_: sa.types.TypeEngine[str]) -> None:
    if op.get_bind().dialect.name != "sqlite":
        op.alter_column("chats", "bot", type_=type_, existing_nullable=False)


def upgrade() -> None:
    """Lift the limit."""
    _change(sa.Text())


def downgrade() -> None:
    """Set the limit again; refused while a longer spec is stored."""
    _change(sa.String(500))
