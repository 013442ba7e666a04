"""The Postgres store keeps the promises of every store, and those of a server."""

import subprocess
import sys
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from key_suite import OFF, KeySuite
from result_suite import ResultSuite
from store_suite import FULL, StoreSuite, fill, ids, record

from foldpoint.stores import Kept, Store, StoreError, open_store, spool_of
from foldpoint.stores.connections import MOST, Connections, conninfo_of
from servers import PASSWORD, QUOTED, Postgres, free_port, postgres

NOWHERE = Path("/nowhere")
APPLIED = [(1, "0001_records.sql"), (2, "0002_keys.sql"), (3, "0003_results.sql"), (4, "0004_conversations.sql")]
OPEN = """
import sys
from pathlib import Path
from foldpoint.stores import open_store
store = open_store(sys.argv[1], Path())
print(store.secret().hex())
"""
WITHOUT = """
import sys
sys.modules["psycopg"] = None
from pathlib import Path
from foldpoint.stores import StoreError, open_store
try:
    open_store("postgresql://host/x", Path())
except StoreError as error:
    print(error)
"""


def opened(url: str) -> Store:
    return open_store(url, NOWHERE)


def sql(url: str, *statements: str) -> list[tuple[object, ...]]:
    """Run statements, as somebody else who uses the database; the rows of the last."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            found = connection.execute(statement.encode())
        return found.fetchall() if found.description else []


@pytest.fixture
def store(postgres_server: Postgres) -> Iterator[Store]:
    """An empty store."""
    store = opened(postgres_server.database())
    yield store
    store.close()


class TestPostgres(StoreSuite, KeySuite, ResultSuite):
    """The shared suite."""


def test_replicas_that_start_together_make_one_schema(postgres_server: Postgres) -> None:
    """All of them open the store, each migration is applied once, and they have one secret."""
    url = postgres_server.database()
    started = [
        subprocess.Popen([sys.executable, "-c", OPEN, url], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    ended = [(*process.communicate(timeout=60), process.returncode) for process in started]
    assert [(said, code) for _, said, code in ended] == [(b"", 0)] * 4
    assert len({secret for secret, _, _ in ended}) == 1
    assert sql(url, "SELECT version, name FROM foldpoint.schema_version ORDER BY version") == APPLIED


def test_replicas_see_each_other(postgres_server: Postgres) -> None:
    """What one writes the other reads."""
    url = postgres_server.database()
    first, second = opened(url), opened(url.replace("postgresql://", "postgres://"))
    fill(first, record("a", 1.0))
    first.add_key(OFF, b"d")
    fill(second, record("b", 2.0))
    assert ids(first.requests("t").records) == ids(second.requests("t").records) == ["b", "a"]
    assert second.key_by(b"d") == OFF
    first.close()
    second.close()


def test_bodies_lie_compressed(postgres_server: Postgres) -> None:
    """A conversation repeats itself."""
    url = postgres_server.database()
    store = opened(url)
    store.add([Kept(FULL, b"word " * 10_000)])
    store.close()
    lies = sql(url, "SELECT messages FROM foldpoint.body")
    assert [zlib.decompress(row[0]) for row in lies] == [b"word " * 10_000]  # type: ignore[arg-type]


def test_a_newer_schema_is_refused(postgres_server: Postgres) -> None:
    """The mend is said."""
    url = postgres_server.database()
    opened(url).close()
    sql(url, "INSERT INTO foldpoint.schema_version VALUES (99, 'x', 0)")
    with pytest.raises(StoreError, match=r": the store has schema 99, this version knows 4: use a newer Foldpoint"):
        opened(url)


def test_tables_of_another_program_are_refused(postgres_server: Postgres) -> None:
    """Where they stand in the schema that the address names, and in one that has our name by chance."""
    url = postgres_server.database()
    sql(url, "CREATE TABLE request (note text)", "CREATE SCHEMA foldpoint", "CREATE TABLE foldpoint.body (note text)")
    for at, schema in ((url, "foldpoint"), (url + "?options=-csearch_path%3Dpublic", "public")):
        mend = f"the tables of another program are in the schema '{schema}': choose another database in store.url"
        with pytest.raises(StoreError, match=mend):
            opened(at)
    assert sql(url, "SELECT count(*) FROM pg_tables WHERE schemaname IN ('public', 'foldpoint')") == [(2,)]


def test_another_program_may_live_beside_it(postgres_server: Postgres) -> None:
    """The store keeps to its own schema, or to the one that the address names."""
    url = postgres_server.database()
    sql(url, "CREATE TABLE request (note text)")
    named = url + "?options=-csearch_path%3Dgateway"
    first, second = opened(url), opened(named)
    fill(first, record("a"))
    fill(second, record("b"))
    assert (ids(first.requests("t").records), ids(second.requests("t").records)) == (["a"], ["b"])
    first.close()
    second.close()
    found = sql(url, "SELECT schemaname FROM pg_tables WHERE tablename = 'request' ORDER BY 1")
    assert found == [("foldpoint",), ("gateway",), ("public",)]


def test_a_database_that_cannot_hold_every_text_is_refused(postgres_server: Postgres) -> None:
    """Else a record that came in would be in its way for ever."""
    url = postgres_server.database("ENCODING 'LATIN1'", "TEMPLATE template0")
    with pytest.raises(StoreError, match="the database has the encoding LATIN1: choose one with UTF8"):
        opened(url)


def test_a_user_who_may_not_make_a_schema(postgres_server: Postgres) -> None:
    """Is told so, and may use one that was made for it."""
    url = postgres_server.database()
    name = url.rpartition("/")[2]
    sql(url, f"CREATE ROLE {name} LOGIN PASSWORD 'x'")
    theirs = postgres_server.url(name, name, "x")
    with pytest.raises(StoreError, match=f"permission denied for database {name}: let that user create a schema"):
        opened(theirs)
    sql(url, f"CREATE SCHEMA foldpoint AUTHORIZATION {name}")
    opened(theirs).close()


def test_what_is_wrong_with_an_address_is_said_without_its_password(postgres_server: Postgres) -> None:
    """What, where and the mend."""
    port, good = postgres_server.port, postgres_server.url()
    no_one = free_port()
    found = []
    for url in (
        postgres_server.url(password=QUOTED + "x"),
        postgres_server.url("none"),
        good.replace(f":{port}/", f":{no_one}/"),
    ):
        with pytest.raises(StoreError) as raised:
            opened(url)
        found.append(str(raised.value))
    wrong, missing, nobody = found
    place = f"postgresql://postgres@127.0.0.1:{port}"
    assert wrong.startswith(f"{place}/postgres: ")
    assert wrong.endswith('authentication failed for user "postgres": correct user and password in store.url')
    assert missing.endswith('database "none" does not exist: create the database, or choose another in store.url')
    assert nobody.startswith(f"postgresql://postgres@127.0.0.1:{no_one}/postgres: ")
    assert nobody.endswith("Connection refused: look whether the server runs and can be reached from here")
    assert [text for text in found if PASSWORD in text or QUOTED in text] == []


@pytest.mark.parametrize("password", ["s3c/ret", "12/34", "s3c@ret", "s3c%ret"])
def test_an_address_that_nobody_can_read_is_not_repeated(password: str) -> None:
    """A password with a special character in it breaks the address at some place, and must not come out there."""
    with pytest.raises(StoreError) as raised:
        opened(f"postgresql://user:{password}@127.0.0.1:1/x")
    assert str(raised.value) == (
        "store.url is no address of a database: it must be such as postgresql://user:password@host:5432/database,"
        " with / @ % in the password written as %2F %40 %25"
    )


def test_a_server_that_went_and_came_back(postgres_server: Postgres) -> None:
    """While it is gone every method raises StoreError; then the store works, whatever became of its connections."""
    with postgres() as server:
        store = opened(server.database())
        with ThreadPoolExecutor(MOST) as threads:
            list(threads.map(lambda _: store.ping(), range(20)))
        fill(store, record("a"))
        server.stop()
        for call in (store.ping, lambda: fill(store, record("b")), lambda: store.purge(9.0), lambda: store.key_by(b"")):
            with pytest.raises(StoreError, match="look whether the server runs") as raised:
                call()
            assert PASSWORD not in str(raised.value)
        server.start()
        fill(store, record("c"))
        assert ids(store.requests("t").records) == ["c", "a"]
        store.close()


def test_a_server_that_hangs_holds_nobody(postgres_server: Postgres) -> None:
    """It keeps its connections and says nothing: that is a fault, and over when it speaks again."""
    with postgres() as server:
        store = opened(server.database())
        store.ping()
        server.hang()
        with pytest.raises(StoreError, match="timeout"):
            store.ping()
        server.wake()
        store.ping()
        store.close()


def test_an_answer_that_does_not_come_ends_the_connection(postgres_server: Postgres) -> None:
    """The next who asks gets another."""
    connections = Connections(conninfo_of(postgres_server.url()))
    with connections.one() as connection:
        connection.seconds = 0.3
        with pytest.raises(psycopg.OperationalError, match=r"no answer for 0\.3 seconds"):
            connection.execute("SELECT pg_sleep(20)")
        assert connection.closed
    with connections.one() as other:
        assert other.execute("SELECT 1").fetchone() == (1,)
    connections.close()


def test_few_connections_serve_many_threads(postgres_server: Postgres) -> None:
    """No more are opened than promised, and everyone gets an answer."""
    url = postgres_server.database()
    store = opened(url)
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda _: store.savings("t"), range(200)))
    name = url.rpartition("/")[2]
    at = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'foldpoint' AND datname"
    (open_now,) = sql(url, f"{at} = '{name}'")[0]
    store.close()
    assert answers == [[]] * 200
    assert 1 <= open_now <= MOST  # type: ignore[operator]


def test_a_closed_postgres_store_fails_as_a_store_does(postgres_server: Postgres) -> None:
    """Every method raises StoreError."""
    store = opened(postgres_server.database())
    store.close()
    for call in (store.ping, lambda: store.add([Kept(FULL)]), lambda: store.purge(0.0), store.secret):
        with pytest.raises(StoreError, match="the store is closed"):
            call()


def test_a_batch_in_postgres_is_written_whole_or_not_at_all(postgres_server: Postgres) -> None:
    """A fault in the second table leaves nothing in the first, the first time and when it is tried again."""
    url = postgres_server.database()
    store = opened(url)
    fill(store, record("a"))
    sql(url, "ALTER TABLE foldpoint.body RENAME TO away")
    for batch in ([record("b")], [record("a"), record("b")]):
        with pytest.raises(StoreError, match='relation "body" does not exist'):
            store.add([Kept(one, b"x") for one in batch])
    assert ids(store.requests("t").records) == ["a"]
    store.close()


def test_the_spool_of_a_server_lies_in_the_data_directory(tmp_path: Path) -> None:
    """Whatever the address is."""
    assert spool_of("postgresql://host/x", tmp_path).path == tmp_path / "foldpoint.spool"
    assert spool_of("postgres://u:p@host/x?sslmode=require", tmp_path).path == tmp_path / "foldpoint.spool"


def test_without_the_package_it_is_named() -> None:
    """And how to get it."""
    ran = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert ran.stdout == ("a Postgres store needs a package that is missing: pip install 'foldpoint[postgres]'\n"), (
        ran.stderr
    )
