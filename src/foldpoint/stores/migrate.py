"""Brings a database to the present schema: numbered SQL files, each applied once."""

import sqlite3
import time
from collections.abc import Iterator
from importlib.resources import files

import msgspec

from .base import StoreError
from .faults import AWAY, transaction

APPLICATION = 0x466F6C64
"""What marks an SQLite file as ours: `Fold`."""


class Migration(msgspec.Struct, frozen=True):
    """One step: its number, its file's name, its SQL."""

    version: int
    name: str
    sql: str


def migrations(dialect: str) -> list[Migration]:
    """The steps for a dialect (`sqlite`), in order."""
    folder = files("foldpoint.stores").joinpath("migrations", dialect)
    found = [file for file in folder.iterdir() if file.name.endswith(".sql")]
    steps = [Migration(int(file.name.partition("_")[0]), file.name, file.read_text("utf-8")) for file in found]
    return sorted(steps, key=lambda step: step.version)


def migrate_sqlite(connection: sqlite3.Connection, steps: list[Migration]) -> None:
    """Apply what is missing in one transaction; processes that start together wait for each other.

    The connection must be in autocommit (`isolation_level=None`). Raises StoreError for a schema newer than ours.
    """
    with transaction(connection):
        present = _version(connection)
        if present > steps[-1].version:
            raise StoreError(
                f"{_place(connection)}: the store has schema {present}, this version knows {steps[-1].version}:"
                " use a newer Foldpoint or choose another store.url"
            )
        for step in steps:
            if step.version > present:
                _apply(connection, step)
        if not present:
            connection.execute(f"PRAGMA application_id = {APPLICATION}")


def check_ours(connection: sqlite3.Connection) -> None:
    """Raise StoreError for a database with tables that are not ours; changes nothing."""
    # In this order: a process that makes the schema just now sets its id with it.
    tables = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
    if tables and connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise StoreError(f"{_place(connection)}: the tables of another program are in it: {AWAY}")


def statements(sql: str) -> Iterator[str]:
    """The statements of a script, one by one."""
    held = ""
    for line in sql.splitlines(keepends=True):
        held += line
        if sqlite3.complete_statement(held):
            yield held
            held = ""


def _place(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA database_list").fetchone()[2])


def _version(connection: sqlite3.Connection) -> int:
    columns = "version INTEGER PRIMARY KEY, name TEXT NOT NULL, time REAL NOT NULL"
    connection.execute(f"CREATE TABLE IF NOT EXISTS schema_version ({columns})")
    return int(connection.execute("SELECT COALESCE(MAX(version), 0) FROM schema_version").fetchone()[0])


def _apply(connection: sqlite3.Connection, step: Migration) -> None:
    for statement in statements(step.sql):
        connection.execute(statement)
    connection.execute("INSERT INTO schema_version VALUES (?, ?, ?)", (step.version, step.name, time.time()))
