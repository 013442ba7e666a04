"""Brings a database to the present schema: numbered SQL files, each applied once."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Literal

import msgspec

from .base import StoreError
from .database import Row

Run = Callable[..., list[Row]]
"""Runs one statement with its values (`?` stands for each) in an open transaction; gives the rows it finds."""


class Migration(msgspec.Struct, frozen=True):
    """One step: its number, its file's name, its SQL."""

    version: int
    name: str
    sql: str


def migrations(dialect: Literal["sqlite", "postgres"]) -> list[Migration]:
    """The steps for a dialect, in order."""
    folder = files("foldpoint.stores").joinpath("migrations", dialect)
    found = [file for file in folder.iterdir() if file.name.endswith(".sql")]
    steps = [Migration(int(file.name.partition("_")[0]), file.name, file.read_text("utf-8")) for file in found]
    return sorted(steps, key=lambda step: step.version)


def migrate(run: Run, steps: list[Migration], place: str) -> bool:
    """Apply what is missing; whether the schema is new.

    All of it happens in the transaction of `run`, which must keep other processes out that want the same. Raises
    StoreError for a schema newer than ours.
    """
    present = _version(run)
    if present > steps[-1].version:
        raise StoreError(
            f"{place}: the store has schema {present}, this version knows {steps[-1].version}:"
            " use a newer Foldpoint or choose another store.url"
        )
    for step in steps:
        if step.version > present:
            for statement in statements(step.sql):
                run(statement)
            run("INSERT INTO schema_version VALUES (?, ?, ?)", (step.version, step.name, time.time()))
    return present == 0


def statements(sql: str) -> Iterator[str]:
    """The statements of a script, one by one."""
    part = ""
    for line in sql.splitlines(keepends=True):
        part += line
        if sqlite3.complete_statement(part):
            yield part
            part = ""


def _version(run: Run) -> int:
    columns = "version INTEGER PRIMARY KEY, name TEXT NOT NULL, time DOUBLE PRECISION NOT NULL"
    run(f"CREATE TABLE IF NOT EXISTS schema_version ({columns})")
    return int(run("SELECT COALESCE(MAX(version), 0) FROM schema_version")[0][0])
