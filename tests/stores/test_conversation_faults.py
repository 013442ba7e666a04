"""The log of agents' conversations under any text and any fault, on both databases."""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foldpoint.core.conversation import Row, ToolCall
from foldpoint.stores import Conversations, StoreError, open_log
from servers import Postgres, postgres

TEXT = st.text(st.characters() | st.sampled_from("\0\ud800\udfff"), max_size=60)
CALLS = st.lists(st.builds(ToolCall, TEXT, TEXT, TEXT), max_size=2).map(tuple)
ROWS = st.builds(
    Row,
    seq=st.just(1),
    role=st.sampled_from(["user", "assistant", "tool"]),
    content=TEXT,
    calls=CALLS,
    tool_call_id=TEXT,
    name=TEXT,
    failed=st.booleans(),
    surface=st.sampled_from(["", "anthropic"]),
    native=st.binary(max_size=60),
    created_at=st.floats(0, 2e9),
    trigger=TEXT,
)
HOLDS = """
import sys, time
from pathlib import Path
from foldpoint.stores import open_log
log = open_log(sys.argv[1], Path(sys.argv[2]))
with log.hold("c"):
    print("held", flush=True)
    time.sleep(60)
"""

RESETS = """
import sys
from pathlib import Path
from foldpoint.stores import open_log
log = open_log(sys.argv[1], Path(sys.argv[2]))
print("ready", flush=True)
sys.stdin.readline()
print(log.reset("many"))
"""
ENDED = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_locks
WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty log."""
    if request.param == "sqlite":
        return "sqlite:///log.db"
    return str(request.getfixturevalue("postgres_server").database())


@pytest.fixture
def log(url: str, tmp_path: Path) -> Iterator[Conversations]:
    """An empty log."""
    with closing(open_log(url, tmp_path)) as log:
        yield log


def row(seq: int, content: str = "text", role: Any = "user") -> Row:
    """A message."""
    return Row(seq, role, content, created_at=1.5)


def cleaned(text: str) -> str:
    """A text as every store of ours holds it."""
    return text.encode("utf-8", "replace").decode().replace("\0", "?")


@given(given_row=ROWS)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_row_comes_back_as_it_went_in(log: Conversations, given_row: Row) -> None:
    """Every field; NUL and what is no Unicode become `?`."""
    conversation = log.reset("round")
    kept = log.append(conversation, given_row)
    found = log.rows(conversation)[0]
    assert found.content == cleaned(given_row.content)
    assert (found.native, found.failed, found.role, found.created_at) == (
        given_row.native, given_row.failed, given_row.role, given_row.created_at,
    )  # fmt: skip
    assert found.calls == tuple(ToolCall(*map(cleaned, msgspec.structs.astuple(c))) for c in given_row.calls)
    assert kept == found
    assert log.verify(conversation) == 1


def test_a_row_that_was_changed_is_found(log: Conversations) -> None:
    """The first that is not as it was written is named: changed, or taken out."""
    for seq in range(1, 6):
        log.append("c", row(seq))
        log.append("d", row(seq))
    log._database.change("UPDATE message SET content = 'other' WHERE conversation = 'c' AND seq = 3")
    log._database.change("DELETE FROM message WHERE conversation = 'd' AND seq = 2")
    for conversation, bad in (("c", 3), ("d", 2)):
        with pytest.raises(StoreError, match=f"message {bad} is missing or is not as it was written"):
            log.verify(conversation)


def test_a_conversation_is_held_once(log: Conversations, url: str, tmp_path: Path) -> None:
    """By this process or another; free again at the end of the block, and when its holder is killed."""
    with (
        log.hold("c"),
        log.hold("d"),
        closing(open_log(url, tmp_path)) as other,
        pytest.raises(StoreError, match="is run by"),
        other.hold("c"),
    ):
        pass
    holder = subprocess.Popen([sys.executable, "-c", HOLDS, url, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    who = f"process {holder.pid}" if url.startswith("sqlite") else "another process"
    with pytest.raises(StoreError, match=f"is run by {who}"), log.hold("c"):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with log.hold("c"):
        pass


def test_a_full_file_loses_no_row(tmp_path: Path) -> None:
    """Said with the file and the mend; what was written is there, and goes on when there is room."""
    with closing(open_log("sqlite:///log.db", tmp_path)) as log:
        log.append("c", row(1))
        writer: sqlite3.Connection = log._database._writer  # type: ignore[attr-defined]
        pages = writer.execute("PRAGMA page_count").fetchone()[0]
        writer.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match=r"log\.db: .*make room on the disk"):
            log.append("c", row(2, "x" * 100_000))
        writer.execute("PRAGMA max_page_count = 100000")
        log.append("c", row(2))
        assert log.verify("c") == 2


def test_a_file_that_is_no_log_is_left_alone(tmp_path: Path) -> None:
    """Neither a broken one nor another program's."""
    (tmp_path / "broken.db").write_bytes(b"no database" * 1000)
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE theirs (x)")
    for name in ("broken.db", "other.db"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(StoreError, match=name):
            open_log(f"sqlite:///{name}", tmp_path)
        assert (tmp_path / name).read_bytes() == before


def test_resets_at_once_lose_nothing(log: Conversations, url: str, tmp_path: Path) -> None:
    """Each process is given a conversation of the agent's, and the rows of the one before are there."""
    first = log.current("many")
    log.append(first, row(1))
    asked = [sys.executable, "-c", RESETS, url, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    started: list[subprocess.Popen[str]] = [subprocess.Popen(asked, **pipes) for _ in range(3)]  # type: ignore[call-overload]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    given = {process.communicate(timeout=60)[0].strip() for process in started}
    assert log.conversations("many")[0] == first
    assert set(log.conversations("many")[1:]) == given
    assert log.rows(first) == [row(1)]


@pytest.mark.parametrize("column", ["digest", "native"])
def test_text_in_place_of_bytes_is_seen(tmp_path: Path, column: str) -> None:
    """SQLite lets anybody put it there."""
    with closing(open_log("sqlite:///log.db", tmp_path)) as log:
        log.append("c", row(1))
        log._database.change(f"UPDATE message SET {column} = 'text'")
        with pytest.raises(StoreError, match="message 1 is missing or is not as it was written"):
            log.verify("c")


def test_a_newer_log_is_refused(url: str, tmp_path: Path) -> None:
    """The mend is said."""
    with closing(open_log(url, tmp_path)) as log:
        log._database.change("INSERT INTO schema_version VALUES (99, 'x', 0)")
    with pytest.raises(StoreError, match=r"the store has schema 99, .*: use a newer Foldpoint"):
        open_log(url, tmp_path)


def test_a_lease_that_was_lost_overwrites_nothing(postgres_server: Postgres, tmp_path: Path) -> None:
    """Another process may then have the conversation; the next message of the first one is refused."""
    url = postgres_server.database()
    with closing(open_log(url, tmp_path)) as first, closing(open_log(url, tmp_path)) as second:
        first.append("c", row(1))
        with first.hold("c"):
            with psycopg.connect(url, autocommit=True) as other:
                assert other.execute(ENDED).fetchall() == [(True,)]
            with second.hold("c"):
                second.append("c", row(2, "theirs"))
                with pytest.raises(StoreError, match="message 2 is there already"):
                    first.append("c", row(2, "mine"))
        assert second.rows("c") == [row(1), row(2, "theirs")]
        assert second.verify("c") == 2


def test_a_server_that_was_away(tmp_path: Path) -> None:
    """It is said where and what to look for; once it is back the log goes on."""
    with postgres() as server, closing(open_log(server.database(), tmp_path)) as log:
        log.append("c", row(1))
        server.stop()
        for call in (lambda: log.append("c", row(2)), lambda: log.hold("c").__enter__()):
            with pytest.raises(StoreError, match=r"^postgresql://.*: look whether the server runs"):
                call()
        server.start()
        log.append("c", row(2))
        assert (log.rows("c"), log.verify("c")) == ([row(1), row(2)], 2)
