"""A Postgres server that several machines share. Needs the extra `postgres`."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from psycopg import errors

from .base import StoreError
from .connections import Bounded, Connections, conninfo_of
from .database import Dialect, Insert, Row
from .migrate import migrate, migrations
from .postgres_faults import AWAY, faults, place_of

DIALECT = Dialect(
    day="to_char(to_timestamp(time) AT TIME ZONE 'UTC', 'YYYY-MM-DD')", skip_locked="FOR UPDATE SKIP LOCKED"
)
MIGRATION_SECONDS = 600
LOCK = 0x466F6C64
"""The advisory lock of whoever makes the schema."""
MARK = "Foldpoint"
"""The comment on `schema_version` by which the tables are known as ours."""
TABLES = (
    "schema_version", "request", "body", "api_key", "secret", "result_text", "result_seen", "conversation", "message",
    "call_start",
)  # fmt: skip
ENCODINGS = ("UTF8", "SQL_ASCII")


class PostgresDatabase:
    """Implements Database on the server at `url`, in the schema that it names or one of our own.

    Raises StoreError when it can't be opened: the server must be there once; later it may go and come back.
    """

    dialect = DIALECT

    def __init__(self, url: str) -> None:
        self.place = place_of(url)
        self._connections = Connections(conninfo_of(url))
        with faults(self.place), self._connections.connect() as connection:
            self._migrate(connection)

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows that a query finds."""
        with faults(self.place), self._connections.one() as connection:
            return connection.execute(_spelled(query), values).fetchall()

    def insert(self, *inserts: Insert) -> None:
        """Add all rows or none. A row whose primary key is there already is left as it is."""
        with faults(self.place), self._connections.one() as connection:
            try:
                with connection.transaction():
                    for insert in inserts:
                        _copy(connection, insert)
            except errors.UniqueViolation:  # seldom: some of them were written before
                with connection.transaction():
                    for insert in inserts:
                        _insert(connection, insert)

    def change(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Run a statement that changes rows; how many they were."""
        with faults(self.place), self._connections.one() as connection:
            return connection.execute(_spelled(statement), values).rowcount

    def close(self) -> None:
        """Let go of the server."""
        self._connections.close()

    def _migrate(self, connection: Bounded) -> None:
        """Bring the schema up to date in one transaction; processes that start together wait for each other."""

        def run(statement: str, values: Sequence[Any] = ()) -> list[Row]:
            found = connection.execute(_spelled(statement), values)
            return found.fetchall() if found.description else []

        connection.seconds = MIGRATION_SECONDS
        run(f"SET statement_timeout = '{MIGRATION_SECONDS}s'")
        with connection.transaction():
            run("SELECT pg_advisory_xact_lock(?)", (LOCK,))
            self._check_ours(run)
            if migrate(run, migrations("postgres"), self.place):
                run(f"COMMENT ON TABLE schema_version IS '{MARK}'")

    def _check_ours(self, run: Any) -> None:
        """Make the schema where it is missing; raise StoreError where tables in it are another program's."""
        encoding, path = run("SELECT current_setting('server_encoding'), current_setting('search_path')")[0]
        if encoding not in ENCODINGS:
            raise StoreError(f"{self.place}: the database has the encoding {encoding}: choose one with UTF8")
        schema = path.split(",")[0].strip().strip('"')
        if not run("SELECT 1 FROM pg_namespace WHERE nspname = ?", (schema,)):
            run(f'CREATE SCHEMA "{schema}"')
        known = "SELECT relname, obj_description(oid, 'pg_class') FROM pg_class WHERE relnamespace = ?::regnamespace"
        found = dict(run(f"{known} AND relname = ANY(?)", (f'"{schema}"', list(TABLES))))
        if found and found.get("schema_version") != MARK:
            raise StoreError(f"{self.place}: the tables of another program are in the schema {schema!r}: {AWAY}")


@lru_cache(256)
def _spelled(query: str) -> bytes:
    """The query with psycopg's placeholders."""
    return query.replace("?", "%s").encode()


def _into(insert: Insert) -> str:
    return f"{insert.table} ({', '.join(insert.columns)})"


def _copy(connection: Bounded, insert: Insert) -> None:
    """Add rows of which none is there yet: three to ten times as fast as INSERT."""
    if insert.rows:
        with connection.cursor() as cursor, cursor.copy(f"COPY {_into(insert)} FROM STDIN".encode()) as copy:
            for row in insert.rows:
                copy.write_row(row)


def _insert(connection: Bounded, insert: Insert) -> None:
    """Add the rows that are not there."""
    marks = ", ".join(["%s"] * len(insert.columns))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {_into(insert)} VALUES ({marks}) ON CONFLICT DO NOTHING".encode(), insert.rows)
