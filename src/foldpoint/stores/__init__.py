"""Where records are kept. SQL is spoken here and nowhere else."""

from pathlib import Path

from .base import (
    By,
    Kept,
    KeyStore,
    Newest,
    Original,
    Page,
    RecordStore,
    Result,
    ResultStore,
    Savings,
    SessionSums,
    Store,
    StoreError,
    Sums,
)
from .conversation import Conversations
from .database import Database
from .leases import FileLeases
from .recorder import Recorder
from .ring import Ring
from .spool import Spool
from .sqlite import SqliteDatabase
from .store import SqlStore

__all__ = [
    "By",
    "Conversations",
    "Kept",
    "KeyStore",
    "Newest",
    "Original",
    "Page",
    "RecordStore",
    "Recorder",
    "Result",
    "ResultStore",
    "Ring",
    "Savings",
    "SessionSums",
    "Spool",
    "SqlStore",
    "SqliteDatabase",
    "Store",
    "StoreError",
    "Sums",
    "open_log",
    "open_store",
    "spool_of",
]

EXTRA = "foldpoint[postgres]"
POSTGRES = "postgresql://user:password@host:5432/database"


def open_store(url: str, data_dir: Path) -> Store:
    """The store at `sqlite:///name` (in the data directory), `sqlite:////absolute/path` or `postgresql://…`.

    Raises StoreError.
    """
    return SqlStore(_postgres(url) if _is_postgres(url) else SqliteDatabase(_file_of(url, data_dir)))


def open_log(url: str, data_dir: Path) -> Conversations:
    """The log of agents' conversations at an address as that of a store; what is appended survives a loss of power.

    Raises StoreError.
    """
    if _is_postgres(url):
        database = _postgres(url)
        from .postgres_leases import PostgresLeases

        return Conversations(database, PostgresLeases(url))
    file = _file_of(url, data_dir)
    return Conversations(SqliteDatabase(file, durable=True), FileLeases(file.with_name(file.name + ".locks")))


def spool_of(url: str, data_dir: Path) -> Spool:
    """Where records wait while that store fails: a file beside it, or in the data directory."""
    file = data_dir / "foldpoint" if _is_postgres(url) else _file_of(url, data_dir)
    return Spool(file.with_name(file.name + ".spool"))


def _is_postgres(url: str) -> bool:
    return url.startswith(("postgresql://", "postgres://"))


def _postgres(url: str) -> Database:
    try:
        from .postgres import PostgresDatabase
    except ImportError as error:
        raise StoreError(f"a Postgres store needs a package that is missing: pip install {EXTRA!r}") from error
    return PostgresDatabase(url)


def _file_of(url: str, data_dir: Path) -> Path:
    scheme, _, rest = url.partition(":///")
    if scheme != "sqlite" or not rest:
        raise StoreError(f"store.url is no store: it must be sqlite:///name, sqlite:////absolute/path or {POSTGRES}")
    return data_dir / rest
