"""The log of conversations on SQLite and on Postgres; what was changed by hand is seen; a faulty file is refused."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from conversation_suite import FULL, ConversationSuite

from foldpoint.core.conversation import Row
from foldpoint.stores import Conversations, StoreError, open_log
from servers import Postgres

URL = "sqlite:///log.db"


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Conversations]:
    """An empty log."""
    with closing(open_log(URL, tmp_path)) as log:
        yield log


@pytest.fixture
def again(log: Conversations, tmp_path: Path) -> Iterator[Conversations]:
    """The same log."""
    with closing(open_log(URL, tmp_path)) as again:
        yield again


class TestSqlite(ConversationSuite):
    """The shared suite."""


class TestPostgres(ConversationSuite):
    """The shared suite."""

    @pytest.fixture
    def url(self, postgres_server: Postgres) -> str:
        """A database of its own."""
        return postgres_server.database()

    @pytest.fixture
    def log(self, url: str) -> Iterator[Conversations]:
        """An empty log."""
        with closing(open_log(url, Path("/nowhere"))) as log:
            yield log

    @pytest.fixture
    def again(self, log: Conversations, url: str) -> Iterator[Conversations]:
        """The same log."""
        with closing(open_log(url, Path("/nowhere"))) as again:
            yield again


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE message SET content = 'x' WHERE seq = 2",
        "UPDATE message SET created_at = 9 WHERE seq = 2",
        "UPDATE message SET digest = x'00' WHERE seq = 2",
        "DELETE FROM message WHERE seq = 2",
    ],
)
def test_what_was_changed_by_hand_is_seen(log: Conversations, tmp_path: Path, damage: str) -> None:
    """The first message that does not stand as it was written is named."""
    for seq in (1, 2, 3):
        log.append("one", Row(seq, "user", "go"))
    with closing(sqlite3.connect(tmp_path / "log.db", isolation_level=None)) as other:
        other.execute(damage)
    with pytest.raises(StoreError, match="message 2 is missing or is not as it was written"):
        log.verify("one")


@pytest.mark.parametrize(
    ("statement", "said"),
    [("CREATE TABLE other (x)", "log.db"), ("PRAGMA user_version = 99", "log.db")],
)
def test_a_foreign_file_is_refused(tmp_path: Path, statement: str, said: str) -> None:
    """It is left as it is."""
    with closing(sqlite3.connect(tmp_path / "log.db", isolation_level=None)) as other:
        other.execute("CREATE TABLE request (x)")
        other.execute(statement)
    before = (tmp_path / "log.db").read_bytes()
    with pytest.raises(StoreError, match=said):
        open_log(URL, tmp_path)
    assert (tmp_path / "log.db").read_bytes() == before


def test_a_log_is_of_its_owner_alone_and_durable(log: Conversations, tmp_path: Path) -> None:
    """Others can't read it, and it is in WAL mode."""
    log.append("one", FULL)
    assert (tmp_path / "log.db").stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(tmp_path / "log.db")) as other:
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
