"""The SQLite store keeps the promises of every store, and those of a file."""

import contextlib
import sqlite3
import stat
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from key_suite import KeySuite
from result_suite import ResultSuite
from store_suite import FULL, StoreSuite, fill, ids, record

from foldpoint.stores import Kept, SqliteDatabase, SqlStore, Store, StoreError, open_store, spool_of
from foldpoint.stores.columns import COLUMNS, row_of
from foldpoint.stores.migrate import migrations
from foldpoint.stores.sqlite import migrate_file
from foldpoint.stores.sqlite_faults import faults, transaction

APPLIED = [(1, "0001_records.sql"), (2, "0002_keys.sql"), (3, "0003_results.sql"), (4, "0004_conversations.sql")]
OPEN = """
import sys
from pathlib import Path
from foldpoint.stores import SqliteDatabase, SqlStore
print(SqlStore(SqliteDatabase(Path(sys.argv[1]))).secret().hex())
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    store = SqlStore(SqliteDatabase(tmp_path / "records.db"))
    yield store
    store.close()


class TestSqlite(StoreSuite, KeySuite, ResultSuite):
    """The shared suite."""


def test_what_was_written_is_there_after_a_restart(tmp_path: Path) -> None:
    """One store writes, another one on the same file reads."""
    first = SqlStore(SqliteDatabase(tmp_path / "r.db"))
    first.add([Kept(FULL, b"body")])
    first.close()
    second = SqlStore(SqliteDatabase(tmp_path / "r.db"))
    assert second.request("t", "full", messages=True) == Kept(FULL, b"body")
    second.close()


def test_two_stores_on_one_file_see_each_other(tmp_path: Path) -> None:
    """As two processes do."""
    first, second = SqlStore(SqliteDatabase(tmp_path / "r.db")), SqlStore(SqliteDatabase(tmp_path / "r.db"))
    fill(first, record("a", 1.0))
    fill(second, record("b", 2.0))
    assert ids(first.requests("t").records) == ids(second.requests("t").records) == ["b", "a"]
    first.close()
    second.close()


def test_processes_that_start_together_make_one_schema(tmp_path: Path) -> None:
    """All of them open the store, each migration is applied once, and they have one secret."""
    path = tmp_path / "new" / "r.db"
    asked = [sys.executable, "-c", OPEN, str(path)]
    started = [subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    ended = [(*process.communicate(timeout=60), process.returncode) for process in started]
    assert [(said, code) for _, said, code in ended] == [(b"", 0)] * 4
    assert len({secret for secret, _, _ in ended}) == 1
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT version, name FROM schema_version").fetchall() == APPLIED


def test_a_file_of_the_first_schema_keeps_everything(tmp_path: Path) -> None:
    """It gets what is missing; the records and bodies in it are read as before."""
    path = tmp_path / "r.db"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate_file(connection, migrations("sqlite")[:1])
        columns = ", ".join(COLUMNS)
        connection.execute(f"INSERT INTO request ({columns}) VALUES ({', '.join('?' * len(COLUMNS))})", row_of(FULL))
        connection.execute("INSERT INTO body VALUES (?, ?, ?)", (FULL.id, FULL.time, zlib.compress(b"body")))
    store = SqlStore(SqliteDatabase(path))
    assert store.request("t", "full", messages=True) == Kept(FULL, b"body")
    assert store.keys() == []
    store.close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT version, name FROM schema_version").fetchall() == APPLIED


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    """It is left as it is, and the mend is said."""
    path = tmp_path / "r.db"
    SqlStore(SqliteDatabase(path)).close()
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO schema_version VALUES (99, 'x', 0)")
    with pytest.raises(StoreError, match=r"r\.db: the store has schema 99, this version knows 4: use a newer"):
        SqlStore(SqliteDatabase(path))


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    """The path is named, and the mend."""
    (tmp_path / "r.db").write_bytes(b"something else entirely" * 100)
    mend = r"r\.db: file is not a database: choose another store\.url or move the file away"
    with pytest.raises(StoreError, match=mend):
        SqlStore(SqliteDatabase(tmp_path / "r.db"))


def test_the_file_of_another_program_is_refused(tmp_path: Path) -> None:
    """Not a byte of it is changed, and the mend is said."""
    path = tmp_path / "notes.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE note (text)")
    before = path.read_bytes()
    mend = r"notes\.db: the tables of another program are in it: choose another store\.url or move the file away"
    with pytest.raises(StoreError, match=mend):
        SqlStore(SqliteDatabase(path))
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["notes.db"]


def test_a_full_disk_is_said_as_one(tmp_path: Path) -> None:
    """While the schema is made and while records are written: the fault itself, not that of ending the transaction."""
    with contextlib.closing(sqlite3.connect(tmp_path / "small.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA max_page_count = 3")
        with pytest.raises(sqlite3.OperationalError, match="database or disk is full"):
            migrate_file(connection, migrations("sqlite"))
        connection.execute("PRAGMA max_page_count = 100000")
        migrate_file(connection, migrations("sqlite"))
        connection.execute("PRAGMA max_page_count = 1")
        mend = r"small\.db: database or disk is full: make room on the disk"
        with pytest.raises(StoreError, match=mend), faults(tmp_path / "small.db"), transaction(connection):
            connection.execute("INSERT INTO body VALUES ('a', 0, ?)", (b"x" * 100_000,))


def test_what_is_purged_is_gone_from_the_file(tmp_path: Path) -> None:
    """Not only from its index."""
    secret = bytes(range(256)) * 4
    store = SqlStore(SqliteDatabase(tmp_path / "r.db"))
    store.add([Kept(record("a"), secret)])
    store.purge(1.0)
    store.close()
    assert zlib.compress(secret, 1)[:200] not in (tmp_path / "r.db").read_bytes()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    """The path is named, and the mend."""
    (tmp_path / "file").touch()
    said = r"file/r\.db: (Not a directory|File exists): choose a store\.url where this user may write"
    with pytest.raises(StoreError, match=said):
        SqlStore(SqliteDatabase(tmp_path / "file" / "r.db"))


def test_a_closed_store_fails_as_a_store_does(tmp_path: Path) -> None:
    """Every method raises StoreError."""
    store = SqlStore(SqliteDatabase(tmp_path / "r.db"))
    store.close()
    for call in (store.ping, lambda: store.add([Kept(FULL)]), lambda: store.purge(0.0), lambda: store.sessions("t")):
        with pytest.raises(StoreError):
            call()


def test_a_batch_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """A fault in the second table leaves nothing in the first."""
    store = SqlStore(SqliteDatabase(tmp_path / "r.db"))
    with sqlite3.connect(tmp_path / "r.db", isolation_level=None) as connection:
        connection.execute("ALTER TABLE body RENAME TO away")
        with pytest.raises(StoreError):
            store.add([Kept(record("a"), b"x")])
        assert store.requests("t").records == []
        connection.execute("ALTER TABLE away RENAME TO body")
    fill(store, record("b"))
    assert ids(store.requests("t").records) == ["b"]
    store.close()


def test_only_the_owner_reads_the_file(tmp_path: Path) -> None:
    """Conversations lie in it."""
    SqlStore(SqliteDatabase(tmp_path / "r.db")).close()
    assert stat.S_IMODE((tmp_path / "r.db").stat().st_mode) == 0o600


def test_addresses_of_stores(tmp_path: Path) -> None:
    """Three slashes: in the data directory; four: anywhere; the spool lies beside the file."""
    open_store("sqlite:///sub/a.db", tmp_path).close()
    open_store(f"sqlite:///{tmp_path}/b.db", Path("/nowhere")).close()
    assert (tmp_path / "sub" / "a.db").exists()
    assert (tmp_path / "b.db").exists()
    assert spool_of("sqlite:///a.db", tmp_path).path == tmp_path / "a.db.spool"
    with pytest.raises(StoreError, match=r"^store\.url is no store: it must be sqlite:///name"):
        open_store("mysql://user:s3cret@host/x", tmp_path)
