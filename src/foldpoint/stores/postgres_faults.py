"""Faults of a Postgres server, said as a StoreError: what, where (never the password) and the mend."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.conninfo import conninfo_to_dict

from .base import StoreError

UNREADABLE = (
    "store.url is no address of a database: it must be such as postgresql://user:password@host:5432/database,"
    " with / @ % in the password written as %2F %40 %25"
)
AWAY = "choose another database in store.url, or another schema with ?options=-csearch_path%3DNAME"
RUNS = "look whether the server runs and can be reached from here"
MENDS = {
    "28": "correct user and password in store.url",
    "3D000": "create the database, or choose another in store.url",
    "42501": "let that user create a schema in the database, or use the one that it has",
    "42P07": AWAY,
    "25006": "name the server that may be written to in store.url",
    "53100": "make room on the server's disk",
    "53300": "let the server take more connections (max_connections), or run fewer workers",
}
"""By the code of the error, or by its class: the first two characters."""


def place_of(url: str) -> str:
    """The address without its password and options. Raises StoreError where it is none."""
    try:
        said = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    except psycopg.ProgrammingError:  # its message has the address in it, and with it the password
        raise StoreError(UNREADABLE) from None
    user, host = said.get("user", ""), said.get("host") or said.get("hostaddr", "")
    port, database = said.get("port", ""), said.get("dbname", "")
    # A password with `/` or `@` as they are ends where it begins, and its rest is taken for what follows.
    if not re.fullmatch(r"[\d,]*", port) or "@" in host[1:] or "/" in database or "@" in database:
        raise StoreError(UNREADABLE)
    return f"postgresql://{user and user + '@'}{host}{port and ':' + port}/{database}"


@contextmanager
def faults(place: str) -> Iterator[None]:
    """Say every fault of the server at `place` as a StoreError."""
    try:
        yield
    except (psycopg.Error, UnicodeError, OverflowError) as error:
        raise StoreError(f"{place}: {_said(error)}{_mend(error)}") from error


def _said(error: Exception) -> str:
    """What happened, in one line: the further ones guess at causes, or quote rows."""
    primary = error.diag.message_primary if isinstance(error, psycopg.Error) else None
    return primary or next(iter(str(error).splitlines()), "") or type(error).__name__


def _mend(error: Exception) -> str:
    code = getattr(error, "sqlstate", None) or ""
    mend = MENDS.get(code) or MENDS.get(code[:2])
    if mend is None and isinstance(error, psycopg.OperationalError) and not code:
        mend = _mend_of_connecting(str(error))
    return f": {mend}" if mend else ""


def _mend_of_connecting(said: str) -> str:
    """What the server refuses before it is connected comes without a code."""
    if "authentication" in said or "password" in said:
        return MENDS["28"]
    if 'database "' in said and "does not exist" in said:
        return MENDS["3D000"]
    return RUNS
