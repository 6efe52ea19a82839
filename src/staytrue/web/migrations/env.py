"""Run by Alembic: applies the versions on the connection that `database.migrate` opened."""

from __future__ import annotations

from alembic import context

from staytrue.web.tables import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
with context.begin_transaction():
    context.run_migrations()
