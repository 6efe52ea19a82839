"""Opens the database, brings its tables up to date, and hands out transactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, OperationalError
from sqlalchemy.orm import Session, sessionmaker

from staytrue.core.errors import RunError, UsageError

_MIGRATIONS = Path(__file__).parent / "migrations"


class Database:
    """An engine whose tables are up to date."""

    def __init__(self, url: str) -> None:
        self.engine = _engine(url)
        try:
            migrate(self.engine)
        except OperationalError as error:
            raise RunError(f"The database cannot be opened: {_first_line(error)}") from None
        except DatabaseError as error:
            raise RunError(
                f"{self.engine.url!r} is not a database of staytrue ({_first_line(error)}): "
                "name another with --database, or restore it from a copy."
            ) from None
        self._writing = Lock()
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)

    @property
    def is_sqlite(self) -> bool:
        """Whether one file holds it."""
        return self.engine.dialect.name == "sqlite"

    def settle(self) -> None:
        """Leave nothing that was deleted in SQLite's journal."""
        if self.is_sqlite:
            raw = self.engine.raw_connection()  # a checkpoint cannot be part of a transaction
            raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            raw.close()

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """A transaction; when the block ends well, what it wrote survives a kill."""
        with self._turn(), self._sessions() as session, session.begin():
            yield session

    def _turn(self) -> AbstractContextManager[Any]:
        # SQLite lets one write at a time and makes the others poll; a lock hands over at once.
        return self._writing if self.is_sqlite else nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A view of the database that does not wait for those who write."""
        with self._sessions() as session:
            session.connection(execution_options={"staytrue_reads_only": True})
            yield session

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()


def _engine(url: str) -> Engine:
    try:
        if url.startswith("sqlite"):
            engine = create_engine(
                url,
                connect_args={"timeout": 20},
                pool_size=20,
                max_overflow=40,
                hide_parameters=True,
            )
            _tune_sqlite(engine)
            return engine
        return create_engine(
            url, pool_size=20, max_overflow=20, pool_pre_ping=True, hide_parameters=True
        )
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise UsageError(
            f"The database URL is not usable ({_first_line(error)}): write sqlite:///FILE "
            "or postgresql+psycopg://USER@HOST/NAME."
        ) from None


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def _tune_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _: Any) -> None:
        # The driver's own transaction handling delays BEGIN; ours starts in `_begin`.
        connection.isolation_level = None
        cursor = connection.cursor()
        for setting in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "secure_delete=ON",
        ):
            cursor.execute(f"PRAGMA {setting}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        # Taking the write lock at once: a read that later writes would fail instead of waiting.
        reads = connection.get_execution_options().get("staytrue_reads_only")
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def migrate(engine: Engine, version: str = "head") -> None:
    """Bring the tables up to a version, the newest by default."""
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, version)
        except CommandError as error:
            raise RunError(
                f"{engine.url!r} was made by a newer version of staytrue ({_first_line(error)}): "
                "upgrade staytrue, or name another with --database."
            ) from None
