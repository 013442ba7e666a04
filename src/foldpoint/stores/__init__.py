"""Where records are kept. SQL is spoken here and nowhere else."""

from pathlib import Path

from .base import By, Kept, KeyStore, Newest, Page, RecordStore, Savings, SessionSums, Store, StoreError, Sums
from .recorder import Recorder
from .ring import Ring
from .spool import Spool
from .sqlite import SqliteStore

__all__ = [
    "By",
    "Kept",
    "KeyStore",
    "Newest",
    "Page",
    "RecordStore",
    "Recorder",
    "Ring",
    "Savings",
    "SessionSums",
    "Spool",
    "SqliteStore",
    "Store",
    "StoreError",
    "Sums",
    "open_store",
    "spool_of",
]


def open_store(url: str, data_dir: Path) -> RecordStore:
    """The store at `sqlite:///name` (in the data directory) or `sqlite:////absolute/path`. Raises StoreError."""
    return SqliteStore(_file_of(url, data_dir))


def spool_of(url: str, data_dir: Path) -> Spool:
    """Where records wait while that store fails: a file beside it."""
    file = _file_of(url, data_dir)
    return Spool(file.with_name(file.name + ".spool"))


def _file_of(url: str, data_dir: Path) -> Path:
    scheme, _, rest = url.partition(":///")
    if scheme != "sqlite" or not rest:
        raise StoreError(f"{url!r} is no store: it must be sqlite:///name or sqlite:////absolute/path")
    return data_dir / rest
